// pnpm verify:recipes [recipe]: runs each recipe in a temporary clone of the last commit, as `pnpm new` does for a
// developer, and checks the result: number of files, format, lint, types, and the tests that the recipe names.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, node24, root, say, toolEnvironment } from "../steps.mjs";
import { recipes } from "./index.mjs";

const STEP_MS = 15 * 60_000;
const packages = ["packages/shared", "packages/demo", "apps/server", "apps/web"];
/** Files that a recipe may change without limit: texts and documentation. */
const uncounted = /^(?:apps\/web\/src\/locales|docs)\//;

/** @param {string} [only]  name of one recipe; by default all are run */
export function verifyRecipes(only) {
  if (only !== undefined && !Object.hasOwn(recipes, only))
    fail(`The recipes are ${Object.keys(recipes).join(", ")}.`);
  const clone = mkdtempSync(join(tmpdir(), "gateway-recipes-"));
  try {
    execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, clone], { timeout: STEP_MS });
    linkPackages(clone);
    const names = only === undefined ? Object.keys(recipes) : [only];
    const lines = names.map((name) => {
      const line = verifyRecipe(clone, name);
      execFileSync("git", ["reset", "--quiet", "--hard"], { cwd: clone });
      execFileSync("git", ["clean", "--quiet", "--force", "-d"], { cwd: clone });
      return line;
    });
    say(`All checks passed:\n${lines.join("\n")}`);
  } finally {
    rmSync(clone, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Lets a clone use the installed libraries. Links between packages are relative, so they lead to the clone's own. */
function linkPackages(clone) {
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  // .gitignore names folders only, and a link is none.
  appendFileSync(join(clone, ".git/info/exclude"), "/node_modules\n");
  for (const folder of packages) {
    const modules = join(root, folder, "node_modules");
    // Caches stay behind: they name files of this checkout.
    for (const entry of readdirSync(modules).filter((name) => !name.startsWith(".") || name === ".bin"))
      cpSync(join(modules, entry), join(clone, folder, "node_modules", entry), {
        recursive: true,
        verbatimSymlinks: true,
      });
  }
  const client = "apps/server/src/platform/prisma";
  cpSync(join(root, client), join(clone, client), { recursive: true });
}

/** Returns a line for the report. Throws when a check fails. */
function verifyRecipe(clone, name) {
  const { example, most, byHand, tests } = recipes[name];
  say(`Recipe ${name}`);
  const run = (what, program, args, folder = ".") =>
    runTool(`${name}: ${what}`, program, args, join(clone, folder));
  run("pnpm new", node24(), ["scripts/recipes/new.mjs", name, ...example]);
  const changed = changedFiles(clone);
  const files = changed.filter((path) => !uncounted.test(path));
  const count = files.length + byHand.length;
  if (count > most)
    fail(`${name} touches ${count} files, more than ${most}:\n${[...files, ...byHand].join("\n")}`);

  run("texts", "i18next-cli", ["extract"], "apps/web");
  run("format", "oxfmt", ["--check", ...files.filter((path) => !path.endsWith(".sql"))]);
  run(
    "lint",
    "oxlint",
    files.filter((path) => /\.tsx?$/.test(path)),
  );
  for (const folder of packages) run(`types of ${folder}`, "tsc", ["-p", folder]);
  for (const folder of packages) {
    const own = tests
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1));
    if (own.length > 0)
      run(`tests of ${folder}`, node24(), ["node_modules/vitest/vitest.mjs", "run", ...own], folder);
  }
  return `  ${name.padEnd(16)} ${count} files, at most ${most}`;
}

function changedFiles(clone) {
  const status = execFileSync("git", ["status", "--porcelain", "--untracked-files=all"], {
    cwd: clone,
    encoding: "utf8",
  });
  return status
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(3));
}

/** Prints the output only when the tool fails. */
function runTool(what, program, args, cwd) {
  const env = { ...toolEnvironment(cwd), NODE_ENV: "test", NO_COLOR: "1" };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    timeout: STEP_MS,
  });
  if (status !== 0) fail(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}\n${what} failed.`);
}
