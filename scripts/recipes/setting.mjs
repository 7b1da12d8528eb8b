import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { fail, root } from "../steps.mjs";
import { add } from "./edits.mjs";
import { pascal, sentenceCase } from "./names.mjs";

const schema = "packages/shared/src/site/settings.ts";
const folder = "apps/web/src/features/settings/sections";

/** Schema and kind of input by kind of setting. */
const kinds = {
  switch: "z.boolean().default(false)",
  number: "z.int().min(0).max(1_000_000).default(0)",
  text: 'z.string().trim().max(500).default("")',
  secret: 'z.string().trim().max(500).default("")',
};

function* nodesIn(value) {
  if (Array.isArray(value)) for (const each of value) yield* nodesIn(each);
  else if (typeof value === "object" && value !== null) {
    if (typeof value.type === "string") yield value;
    for (const each of Object.values(value)) yield* nodesIn(each);
  }
}

/** Returns the sections that a file defines, each with the offset at which its list of fields ends. */
function sectionsIn(file) {
  const { program } = parseSync(file, readFileSync(join(root, folder, file), "utf8"));
  return [...nodesIn(program)]
    .filter(({ type }) => type === "ObjectExpression")
    .flatMap(({ properties }) => {
      const of = (name) => properties.find(({ key }) => key?.name === name)?.value;
      const isSection = of("id")?.type === "Literal" && of("fields")?.type === "ArrayExpression";
      return isSection ? [{ file, id: of("id").value, end: of("fields").end - 1 }] : [];
    });
}

function addField(name, section, kind) {
  const sections = readdirSync(join(root, folder))
    .filter((file) => file.endsWith("-fields.ts") || file === "fields.ts")
    .flatMap(sectionsIn);
  const place = sections.find(({ id }) => id === section);
  if (place === undefined) fail(`Name the section of its input: ${sections.map(({ id }) => id).join(", ")}.`);
  return {
    path: `${folder}/${place.file}`,
    change: (text) => {
      const list = text.slice(0, place.end).trimEnd().replace(/,$/, "");
      const comma = list.endsWith("[") ? "" : ",";
      const field = `{ key: "${name}", kind: "${kind}", label: phrase("${sentenceCase(name)}") },`;
      return `${list}${comma}\n${field}\n${text.slice(place.end)}`;
    },
  };
}

export const setting = {
  about: "a setting that is changed at run time: name, section, and switch, number, text or secret",
  name: pascal,
  args: "<section> [switch|number|text|secret]",
  edits(name, section = "", kind = "switch") {
    if (!Object.hasOwn(kinds, kind)) fail(`A setting is one of: ${Object.keys(kinds).join(", ")}.`);
    return [
      add(schema, {
        after: "export const Settings = z.object({",
        before: "});\nexport type Settings",
        text: `  ${name}: ${kinds[kind]},\n`,
        unless: `\n  ${name}:`,
      }),
      ...(kind === "secret"
        ? [
            add(schema, {
              after: "const secrets = [",
              before: "] as const",
              text: `  "${name}",\n`,
              unless: `"${name}"`,
            }),
          ]
        : []),
      addField(name, section, kind),
    ];
  },
  next: (name) => [
    `In ${schema}, move ${name} to its area, and state its limits, its unit and what 0 means.`,
    `Read it where it has an effect: settings.current().${name}.`,
    "Complete its label and hint, then run pnpm i18n and translate them.",
    "Add it to the table of its section in docs/settings.md and docs/zh_CN/settings.md.",
  ],
  most: 4,
  byHand: ["the file that reads it"],
  example: ["SampleLimitMinutes", "logs", "number"],
  tests: [
    "packages/shared/src/site/settings.test.ts",
    "packages/shared/src/specification.test.ts",
    "apps/server/src/console/system/settings.test.ts",
    "apps/web/src/specification.test.tsx",
  ],
};
