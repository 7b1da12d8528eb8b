import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "oxlint";

const io = ["fastify", "undici", "pg", "ioredis", "@prisma", "node:fs", "node:http", "node:net"];
const server = "apps/server/src";
const web = "apps/web/src";

/** Modules of the server, and what each may import besides itself, `errors.ts` and `@gateway/shared`. */
const entry = ["domain", "providers", "payments", "sign-in", "notices", "dialects", "platform"];
const modules: Record<string, string[]> = {
  gateway: ["relay", ...entry],
  console: ["relay", "migration", "diagnostics", ...entry],
  jobs: ["relay", ...entry],
  cli: ["migration", "diagnostics", ...entry],
  migration: entry,
  diagnostics: entry,
  relay: ["domain", "providers", "dialects", "platform"],
  domain: ["providers", "payments", "sign-in", "notices", "dialects", "platform"],
  providers: ["dialects"],
  payments: [],
  "sign-in": [],
  notices: [],
  dialects: [],
  platform: [],
};

/** Libraries that a module must not import, because their functions are passed in. */
const libraries: Record<string, string[]> = {
  relay: ["fastify"],
  domain: ["fastify"],
  platform: ["fastify"],
  providers: io,
  payments: io,
  notices: io,
  dialects: io,
  // The OAuth plugin needs a Fastify scope.
  "sign-in": io.filter((name) => name !== "fastify"),
};

/** Folders of `domain/`, and the other folders that each may import. The order has no cycles. */
const domains: Record<string, string[]> = {
  "audit-log": [],
  limits: [],
  answers: [],
  ledger: [],
  inbox: [],
  settings: ["audit-log"],
  notices: ["inbox", "settings"],
  pricing: ["audit-log"],
  credits: ["audit-log", "ledger"],
  budgets: ["accounts", "audit-log", "inbox", "ledger", "notices", "settings"],
  accounts: ["audit-log", "inbox", "ledger"],
  "identity-providers": ["accounts", "audit-log"],
  scim: ["accounts", "audit-log", "identity-providers"],
  channels: ["audit-log", "ledger", "settings"],
  "model-changes": ["channels", "notices"],
  catalog: ["accounts", "audit-log", "pricing"],
  usage: ["audit-log", "catalog", "pricing"],
  "model-health": ["accounts", "catalog", "pricing", "usage"],
  overview: ["pricing", "usage"],
  logs: ["audit-log", "ledger", "pricing", "usage"],
  shares: ["accounts", "audit-log", "logs"],
  tokens: ["accounts", "audit-log", "ledger"],
  backups: ["ledger", "logs", "settings"],
  tasks: ["ledger"],
  quotes: [],
  responses: ["ledger"],
  payments: ["audit-log", "credits", "inbox", "ledger", "notices", "settings"],
  "web-search": [],
  releases: [],
  mcp: ["audit-log", "tokens"],
  telegram: ["accounts", "audit-log", "credits", "ledger", "limits", "notices", "settings", "tokens"],
};

/** Folders of `relay/`, and the other folders that each may import. Only `core` is shared by all. */
const relays: Record<string, string[]> = {
  core: [],
  chat: ["core", "background", "search"],
  search: ["core"],
  mcp: ["core"],
  media: ["core"],
  realtime: ["core", "media"],
  tasks: ["core"],
  background: ["core", "chat"],
  caches: ["core"],
  probe: ["core", "chat", "media"],
  "pass-through": ["core"],
  reporting: ["core"],
};

const foldersIn = (path: string) =>
  readdirSync(join(import.meta.dirname, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

/** Throws for a folder without a row above: its boundaries would not be checked. */
function requireRows(path: string, rows: Record<string, string[]>): void {
  for (const name of foldersIn(path))
    if (!Object.hasOwn(rows, name)) throw new Error(`${path}/${name} has no row in oxlint.config.ts.`);
}
// `start/` may import everything.
requireRows(server, { ...modules, start: [] });
requireRows(`${server}/domain`, domains);
requireRows(`${server}/relay`, relays);

const features = foldersIn(`${web}/features`);
const others = (names: string[], own: string, allowed: string[]) =>
  names.filter((name) => name !== own && !allowed.includes(name));

/**
 * Imports contain the module's name (`#domain/ledger/ledger.ts`), so boundaries are matched as text. A later
 * override replaces an earlier one, so this function creates one override per folder.
 */
function boundary(path: string, hidden: string[], forbidden: string[] = []) {
  const patterns = [
    { regex: "^\\.\\./", message: "Name the module: #module/file.ts." },
    ...hidden.map((name) => ({
      regex: `^#${name}/`,
      message: `${path} must not import ${name} (docs/modules.md, "Import boundaries").`,
    })),
    ...forbidden.map((name) => ({
      regex: `^${name}($|/)`,
      message: `${path} must not import ${name}: pass the capability in.`,
    })),
  ];
  return {
    files: [`${path}/**/*.{ts,tsx}`],
    rules: { "no-restricted-imports": ["error", { patterns }] as ["error", object] },
  };
}

const serverModules = Object.keys(modules).map((name) =>
  boundary(`${server}/${name}`, others(Object.keys(modules), name, modules[name] ?? []), libraries[name]),
);
const domainFolders = Object.keys(domains).map((name) =>
  boundary(
    `${server}/domain/${name}`,
    [
      ...others(Object.keys(modules), "domain", modules.domain ?? []),
      ...others(Object.keys(domains), name, domains[name] ?? []).map((other) => `domain/${other}`),
    ],
    libraries.domain,
  ),
);
const relayFolders = Object.keys(relays).map((name) =>
  boundary(
    `${server}/relay/${name}`,
    [
      ...others(Object.keys(modules), "relay", modules.relay ?? []),
      ...others(Object.keys(relays), name, relays[name] ?? []).map((other) => `relay/${other}`),
    ],
    libraries.relay,
  ),
);
const featureFolders = features.map((name) =>
  boundary(`${web}/features/${name}`, [
    "app",
    ...others(features, name, []).map((other) => `features/${other}`),
  ]),
);

const boundaryOfTests = { ...boundary(`${server}/domain`, []), files: [`${server}/domain/**/*.test.ts`] };

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "react"],
  jsPlugins: ["./scripts/lint-function-length.mjs"],
  options: { typeAware: true },
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["apps/server/src/platform/prisma/**", "**/dist/**", "**/node_modules/**"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-type-imports": "error",
    // `import { type Row }` still loads the file with its schemas.
    "typescript/no-import-type-side-effects": "error",
    "typescript/no-non-null-assertion": "error",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    "no-console": "error",
    "no-shadow": "off",
    // Objects of this project are closures without `this`, so their functions can be passed as values.
    "typescript/unbound-method": "off",
    // tsc is more precise: a switch over a whole union returns in every case.
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
    // Lists get their rows as render props.
    "react/no-unstable-nested-components": ["error", { allowAsProps: true }],
    "import/no-unassigned-import": "off",
    "import/no-named-as-default": "off",
    "import/no-named-as-default-member": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
  },
  overrides: [
    ...serverModules,
    ...domainFolders,
    ...relayFolders,
    ...featureFolders,
    boundary("packages/shared/src", [], [...io, "react", "@mantine"]),
    boundary(`${web}/components`, ["app", "features"]),
    boundary(`${web}/ui`, ["app", "features", "components"]),
    boundary(`${web}/lib`, ["app", "features", "components", "ui"]),
    {
      files: ["apps/server/**", "packages/**", "scripts/**"],
      rules: { "functions/own-lines": ["error", { max: 80, maxGross: 150 }] },
    },
    {
      // Elements of a form or a page are long, but simple.
      files: [`${web}/**`],
      rules: { "functions/own-lines": ["error", { max: 120, maxGross: 200 }] },
    },
    {
      files: ["**/*.test.ts", "**/*.test.tsx", "**/test/**", "**/e2e/**", "**/bench/**"],
      rules: {
        "max-lines": "off",
        "functions/own-lines": "off",
        "no-restricted-properties": "off",
        "no-console": "off",
        "typescript/no-non-null-assertion": "off",
      },
    },
    // A test may import whatever its subject needs.
    boundaryOfTests,
    {
      files: [
        `${server}/env.ts`,
        `${server}/main.ts`,
        `${server}/cli/main.ts`,
        "packages/demo/src/main.ts",
        "apps/web/playwright.config.ts",
        "scripts/**",
      ],
      rules: { "no-restricted-properties": "off", "no-console": "off" },
    },
    {
      files: [
        "**/*.config.ts",
        "apps/web/src/features/**/*-page.tsx",
        "apps/server/test/run/setup.ts",
        "scripts/lint-function-length.mjs",
      ],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["packages/shared/src/**"],
      rules: { "unicorn/filename-case": ["error", { case: "kebabCase" }] },
    },
  ],
});
