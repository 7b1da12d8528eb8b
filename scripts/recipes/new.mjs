// pnpm new <recipe> <name>: creates the files of a frequent extension and adds its lines to the registries. Overwrites
// nothing. CONTRIBUTING.md describes the recipes, and pnpm verify:recipes runs them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, install, requireNode, root, toolEnvironment } from "../steps.mjs";

const [kind = "", name = "", ...args] = process.argv.slice(2);
requireNode();
install();
// They need libraries, which are installed by now.
const { planEdits, writeTexts } = await import("./edits.mjs");
const { recipes } = await import("./index.mjs");
if (!Object.hasOwn(recipes, kind)) fail(`Say what to create:\n${usage()}`);
const recipe = recipes[kind];
if (!recipe.name.pattern.test(name)) fail(`Give the ${kind} a name such as ${recipe.name.example}.`);

const texts = planEdits(root, recipe.edits(name, ...args));
const isNew = new Map([...texts.keys()].map((path) => [path, !existsSync(join(root, path))]));
writeTexts(root, texts);
format([...texts.keys()]);

for (const [path, created] of isNew) console.log(`${created ? "created" : "changed"}  ${path}`);
console.log(
  `\nNext:\n${recipe
    .next(name)
    .map((step) => `- ${step}`)
    .join("\n")}\n- Run pnpm check and npm test -- --changed.`,
);

function usage() {
  return Object.entries(recipes)
    .map(
      ([id, { about, args: more = "" }]) => `  ${`pnpm new ${id} <name> ${more}`.trim().padEnd(64)} ${about}`,
    )
    .join("\n");
}

/** Sorts the imports and wraps long lines, which templates need not care about. */
function format(paths) {
  const files = paths.filter((path) => !path.endsWith(".sql"));
  const { status } = spawnSync("oxfmt", files, {
    cwd: root,
    env: toolEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) fail("The files were written, but could not be formatted.");
}
