// npm test: every check and every test, starting from a fresh clone. Continues after a failure, so that the
// totals are complete. The last line is always "N passed, N failed".
//   npm test -- <path or title>            tests whose path, or else whose title contains the text
//   npm test -- <path> -t <title>          one test
//   npm test -- --changed                  checks, and what differs from the last commit
//   npm test -- --suite <name>             one part of the whole run: checks, shared, demo, web, server or e2e
import { parseArgs } from "node:util";
import {
  buildServer,
  buildWeb,
  generate,
  install,
  requireNode,
  root,
  say,
  toolEnvironment,
} from "./steps.mjs";
import { endEarlierRun, run } from "./testing/processes.mjs";
import { printReport, report } from "./testing/report.mjs";
import { browserTestsFor, changedFiles, named } from "./testing/selection.mjs";
import { provide } from "./testing/services.mjs";
import { runSuite, suites } from "./testing/suites.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: "boolean", default: false },
    suite: { type: "string" },
    title: { type: "string", short: "t" },
  },
});

const shared = suites.shared.folder;
const demo = suites.demo.folder;
const server = suites.server.folder;
const web = suites.web.folder;
const checks = [
  ["format: oxfmt --check", root, "oxfmt", ["--check"]],
  ["lint: oxlint", root, "oxlint", []],
  ["types: packages/shared", shared, "tsc", ["-p", "."]],
  ["types: packages/demo", demo, "tsc", ["-p", "."]],
  ["types: apps/server", server, "tsc", ["-p", "."]],
  ["types: apps/web", web, "tsc", ["-p", "."]],
  ["unused code: knip", root, "knip", ["--no-progress"]],
  ["terms: scripts/check-terms.mjs", root, "node", ["scripts/check-terms.mjs"]],
  ["workflows: scripts/lint-workflows.mjs", root, "node", ["scripts/lint-workflows.mjs"]],
  ["texts: i18next-cli extract --ci", web, "i18next-cli", ["extract", "--ci", "--dry-run"]],
  ["translations: i18next-cli status", web, "i18next-cli", ["status"]],
];

const isWhole = positionals.length === 0 && !values.changed;
const parts = ["checks", "shared", "demo", "web", "server", "e2e"];
if (values.suite !== undefined && !parts.includes(values.suite)) {
  console.error(`--suite is one of ${parts.join(", ")}.`);
  process.exit(1);
}

process.once("exit", printReport);
step("setup", () => {
  requireNode();
  endEarlierRun();
});
step("install", install);
if (isWhole) await runAll();
else if (values.changed) await runChanged();
else await runNamed();
process.exitCode = report.failures.length === 0 ? 0 : 1;

async function runAll() {
  const runs = (part) => values.suite === undefined || values.suite === part;
  prepare({ browser: runs("e2e") });
  // First what takes seconds. Beside tests it would slow them down, and its errors are the most frequent ones.
  if (runs("checks")) await runChecks();
  if (runs("shared")) await runSuite(suites.shared);
  if (runs("demo")) await runSuite(suites.demo);
  if (runs("web")) await runSuite(suites.web);
  // One after the other: together they need more than two cores, and their time limits pass for nothing.
  // A failed test is repeated once, and named in the report. The nightly run does not repeat.
  if (runs("server")) await runSuite(suites.server, { repeats: 1 });
  if (runs("e2e")) await runSuite(suites.e2e);
}

async function runNamed() {
  let selections = [];
  step("selection", () => (selections = positionals.flatMap((text) => named(text, values.title))));
  prepare({ browser: selections.some(({ suite }) => suite.browser) });
  for (const { suite, files, title } of selections) await runSuite(suite, { files, title });
}

async function runChanged() {
  const changed = changedFiles();
  const browserTests = browserTestsFor(changed);
  prepare({ browser: browserTests.length > 0 });
  await runChecks();
  // Vitest knows which tests import a changed file.
  for (const suite of [suites.shared, suites.demo, suites.server, suites.web])
    await runSuite(suite, { flags: ["--changed"] });
  if (browserTests.length > 0) await runSuite(suites.e2e, { files: browserTests });
  say("Browser tests: those of changed screens only. “npm test” runs all.");
}

/** What the tests need. The server is bundled because some of its tests, and all browser tests, start the bundle. */
function prepare({ browser }) {
  step("services", () => provide("redis", "openssl", ...(browser ? ["browser"] : [])));
  step("generate", generate);
  if (browser) step("build: apps/web", buildWeb);
  step("build: apps/server", buildServer);
}

/** Runs one step, which counts as a result of a whole run. All that follows needs it, so a failure ends the run. */
function step(title, work) {
  try {
    work();
    if (isWhole) report.passed += 1;
  } catch (error) {
    console.error(error.message);
    report.failures.push({ title, reason: error.message.split("\n").findLast((line) => line !== "") });
    process.exit(1);
  }
}

/** Runs two checks at a time, because most of them use one core. */
async function runChecks() {
  const waiting = [...checks];
  const runNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await check(...next);
  };
  await Promise.all([runNext(), runNext()]);
}

/** Runs one check as one result. Its output is printed only when it fails. */
async function check(title, cwd, program, args) {
  const lines = [];
  const env = { ...toolEnvironment(cwd), NO_COLOR: "1" };
  const trouble = await run(program, args, { cwd, env }, (line) => lines.push(line));
  say(`${title}: ${trouble === undefined ? "ok" : "failed"}`);
  if (trouble === undefined) {
    report.passed += 1;
    return;
  }
  console.log([...lines, trouble].join("\n"));
  const reason = lines.find((line) => /error|✗|×|✖|unused/i.test(line)) ?? lines[0] ?? trouble;
  report.failures.push({ title, reason: reason.trim(), again: "npx pnpm@12 check" });
}
