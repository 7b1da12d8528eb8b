import { defineConfig } from "oxlint";

/**
 * Who may import whom. One row per room: what it must not see, and which libraries it must not touch.
 * A room is named where it is entered (`#domain/ledger/ledger.ts`), so the rule is plain text matching.
 * A later override replaces an earlier one, hence one override per room, made by one function.
 */
function room(path: string, hidden: string[], libraries: string[] = []) {
  const patterns = [
    { regex: "^\\.\\./", message: "Name the room you enter: #room/file.ts." },
    ...hidden.map((name) => ({
      regex: `^#${name}`,
      message: `${path} must not know ${name} (docs/architecture.md, "Who may import whom").`,
    })),
    ...libraries.map((name) => ({
      regex: `^${name}($|/)`,
      message: `${path} does no ${name}: hand the capability in.`,
    })),
  ];
  return {
    files: [path],
    rules: { "no-restricted-imports": ["error", { patterns }] as ["error", object] },
  };
}

const io = ["fastify", "undici", "pg", "ioredis", "@prisma", "node:fs", "node:http", "node:net"];
const server = "apps/server/src";
const web = "apps/web/src";

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "react"],
  options: { typeAware: true },
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["apps/server/src/platform/prisma/**", "**/dist/**", "**/node_modules/**"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-type-imports": "error",
    "typescript/no-non-null-assertion": "error",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    "no-console": "error",
    "no-shadow": "off",
    // Our objects are closures without `this`; their functions may be passed around.
    "typescript/unbound-method": "off",
    // tsc knows better: a switch over a whole union returns in every case.
    "typescript/consistent-return": "off",
    "consistent-return": "off",
    "no-await-in-loop": "off",
    "no-restricted-properties": [
      "error",
      { object: "process", property: "env", message: "env.ts is the only file that reads the environment." },
    ],
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/no-unnecessary-type-arguments": "off",
    "react/react-in-jsx-scope": "off",
    "react/jsx-key": "error",
    // Render props are how lists take their rows.
    "react/no-unstable-nested-components": ["error", { allowAsProps: true }],
    "import/no-unassigned-import": "off",
    "import/no-named-as-default": "off",
    "import/no-named-as-default-member": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
  },
  overrides: [
    room(`${server}/gateway/**/*.ts`, ["console/", "jobs/"]),
    room(`${server}/console/**/*.ts`, ["gateway/", "jobs/"]),
    room(`${server}/jobs/**/*.ts`, ["gateway/", "console/"]),
    room(`${server}/relay/**/*.ts`, ["gateway/", "console/", "jobs/"], ["fastify"]),
    room(`${server}/domain/**/*.ts`, ["gateway/", "console/", "jobs/", "relay/"], ["fastify"]),
    room(
      `${server}/providers/**/*.ts`,
      ["gateway/", "console/", "jobs/", "relay/", "domain/", "platform/"],
      io,
    ),
    // Fastify only because the OAuth plugin lives in one; `fetch` is handed in.
    room(
      `${server}/sign-in/**/*.ts`,
      ["gateway/", "console/", "jobs/", "relay/", "domain/", "providers/", "dialects/", "platform/"],
      io.filter((name) => name !== "fastify"),
    ),
    // `fetch` and the clock are handed in.
    room(
      `${server}/payments/**/*.ts`,
      [
        "gateway/",
        "console/",
        "jobs/",
        "relay/",
        "domain/",
        "providers/",
        "dialects/",
        "platform/",
        "sign-in/",
        "notices/",
      ],
      io,
    ),
    // The mail server and `post` are handed in.
    room(
      `${server}/notices/**/*.ts`,
      [
        "gateway/",
        "console/",
        "jobs/",
        "relay/",
        "domain/",
        "providers/",
        "dialects/",
        "platform/",
        "sign-in/",
      ],
      io,
    ),
    room(
      `${server}/dialects/**/*.ts`,
      ["gateway/", "console/", "jobs/", "relay/", "domain/", "providers/", "platform/"],
      io,
    ),
    room(
      `${server}/platform/**/*.ts`,
      ["gateway/", "console/", "jobs/", "relay/", "domain/", "providers/", "dialects/"],
      ["fastify"],
    ),
    room(
      `${server}/demo/**/*.ts`,
      ["gateway/", "console/", "jobs/", "relay/", "domain/", "providers/", "platform/", "dialects/"],
      ["fastify", "undici", "pg", "ioredis", "@prisma"],
    ),
    room("packages/shared/src/**/*.ts", [], [...io, "react", "@mantine"]),
    room(`${web}/features/**/*.{ts,tsx}`, ["app/"]),
    room(`${web}/ui/**/*.{ts,tsx}`, ["app/", "features/"]),
    room(`${web}/lib/**/*.{ts,tsx}`, ["app/", "features/", "ui/"]),
    {
      files: ["**/*.test.ts", "**/*.test.tsx", "**/test/**", "**/e2e/**", "**/bench/**"],
      rules: {
        "max-lines": "off",
        "no-restricted-properties": "off",
        "no-console": "off",
        "typescript/no-non-null-assertion": "off",
      },
    },
    {
      files: [
        `${server}/env.ts`,
        `${server}/main.ts`,
        `${server}/audit.ts`,
        `${server}/demo/main.ts`,
        "scripts/**",
      ],
      rules: { "no-restricted-properties": "off", "no-console": "off" },
    },
    {
      files: ["**/*.config.ts", "apps/web/src/features/**/*-page.tsx"],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["packages/shared/src/**"],
      rules: { "unicorn/filename-case": ["error", { case: "kebabCase" }] },
    },
  ],
});
