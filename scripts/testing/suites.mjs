// The groups of tests, and how each is run.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compileCache, node24, root, toolEnvironment } from "../steps.mjs";
import { run } from "./processes.mjs";
import { addPlaywright, addVitest, report } from "./report.mjs";

const results = join(root, "node_modules/.gateway/results");

/**
 * @typedef {object} Suite
 * @property {string} id
 * @property {string} folder  the package that runs it
 * @property {(file: string) => boolean} has  whether a test file belongs to it; the path is relative to the repository
 * @property {boolean} [browser]  whether Playwright runs it
 */

/** @type {Record<"shared" | "demo" | "server" | "web" | "e2e", Suite>} */
export const suites = {
  shared: {
    id: "packages/shared",
    folder: join(root, "packages/shared"),
    has: (file) => file.startsWith("packages/shared/"),
  },
  demo: {
    id: "packages/demo",
    folder: join(root, "packages/demo"),
    has: (file) => file.startsWith("packages/demo/"),
  },
  server: {
    id: "apps/server",
    folder: join(root, "apps/server"),
    has: (file) => file.startsWith("apps/server/"),
  },
  web: {
    id: "apps/web",
    folder: join(root, "apps/web"),
    has: (file) => file.startsWith("apps/web/") && !file.startsWith("apps/web/e2e/"),
  },
  e2e: {
    id: "apps/web/e2e",
    folder: join(root, "apps/web"),
    has: (file) => file.startsWith("apps/web/e2e/"),
    browser: true,
  },
};

const ignored = new Set(["node_modules", "dist", "coverage", "test-results"]);

/** Returns the paths of all test files, relative to the repository. */
export function testFiles(folder = "") {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return ignored.has(entry.name) || entry.name.startsWith(".") ? [] : testFiles(path);
    return /\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/**
 * Runs tests of one suite and adds their results to the report. The printed lines begin with the suite's name.
 * @param {Suite} suite
 * @param {object} [options]
 * @param {string[]} [options.files]  paths relative to the repository; by default all that are not tagged nightly
 * @param {string} [options.title]  only tests whose title contains this text
 * @param {string[]} [options.flags]  flags of the runner
 * @param {number} [options.repeats]  times that a failed test is repeated; if it passes then, the report names it as
 *   unstable. The repetition of a browser test writes its trace.
 * @param {boolean} [options.onlyNightly]  only server tests tagged nightly
 * @param {Record<string, string>} [options.env]
 */
export async function runSuite(
  suite,
  { files = [], title, flags = [], env = {}, repeats = suite.browser ? 1 : 0, onlyNightly = false } = {},
) {
  const output = join(results, `${suite.id.replaceAll("/", "-")}.json`);
  mkdirSync(results, { recursive: true });
  rmSync(output, { force: true });
  const program = suite.browser ? playwright(files, title) : vitest(suite, files, title, output, onlyNightly);
  const environment = {
    ...toolEnvironment(suite.folder),
    NODE_ENV: "test",
    NO_COLOR: "1",
    // Each worker loads the whole gateway, which takes twice as long without.
    NODE_COMPILE_CACHE: compileCache,
    PLAYWRIGHT_JSON_OUTPUT_FILE: output,
    ...env,
  };
  const trouble = await run(
    node24(),
    [...program, ...flags, suite.browser ? `--retries=${repeats}` : `--retry=${repeats}`],
    { cwd: suite.folder, env: environment },
    (line) => {
      if (line.trim() !== "") console.log(`${suite.id.padEnd(15)} | ${line}`);
    },
  );
  const before = report.failures.length;
  if (existsSync(output))
    (suite.browser ? addPlaywright : addVitest)(JSON.parse(readFileSync(output, "utf8")));
  if (trouble !== undefined && report.failures.length === before)
    report.failures.push({ title: `${suite.id}: the test runner ${trouble}` });
}

function vitest({ folder }, files, title, output, onlyNightly) {
  return [
    join(folder, "node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${output}`,
    // A title that no test of a further file has is not an error.
    "--passWithNoTests",
    ...(title === undefined ? [] : ["-t", escapeRegExp(title)]),
    // The other packages define no tags.
    ...(folder === suites.server.folder && files.length === 0
      ? [`--tags-filter=${onlyNightly ? "nightly" : "!nightly"}`]
      : []),
    ...files.map((file) => join(root, file)),
  ];
}

function playwright(files, title) {
  return [
    join(suites.e2e.folder, "node_modules/@playwright/test/cli.js"),
    "test",
    "--reporter=list,json",
    "--pass-with-no-tests",
    ...(title === undefined ? [] : ["--grep", escapeRegExp(title)]),
    ...(files.length === 0 ? ["--grep-invert=@nightly"] : []),
    ...files.map((file) => escapeRegExp(file.replace("apps/web/", ""))),
  ];
}

function escapeRegExp(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
