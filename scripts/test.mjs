// npm test: every check and every test, starting from a fresh clone. Continues after a failure, so that the
// totals are complete. The last line is always "N passed, N failed".
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { hasEngine } from "./check-compose.mjs";
import {
  buildServer,
  buildWeb,
  fail,
  generate,
  install,
  node24,
  requireNode,
  root,
  say,
  toolEnvironment,
} from "./steps.mjs";

const results = join(root, "node_modules/.gateway/results");
const longestGroupMs = 75 * 60_000;
let passed = 0;
const failures = [];

process.once("exit", () => {
  for (const failure of failures) console.log(`✗ ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed`);
});

requireNode();
// All later steps need these, so a failure ends the run.
for (const [title, work] of Object.entries({
  install,
  services,
  generate,
  "build: apps/web": buildWeb,
  "build: apps/server": buildServer,
})) {
  if (!step(title, work)) process.exit(1);
}

const server = join(root, "apps/server");
const web = join(root, "apps/web");
const shared = join(root, "packages/shared");

// In parallel: the server's tests mostly wait for timeouts and restarts, and the others use the idle time.
await Promise.all([
  tests("apps/server", server, []),
  tests("apps/web/e2e", web, ["--config", "e2e/vitest.config.ts"]),
  oneByOne([
    () => check("format: oxfmt --check", root, "oxfmt", ["--check"]),
    () => check("lint: oxlint", root, "oxlint", []),
    () => check("types: packages/shared", shared, "tsc", ["-p", "."]),
    () => check("types: apps/server", server, "tsc", ["-p", "."]),
    () => check("types: apps/web", web, "tsc", ["-p", "."]),
    () => check("unused code: knip", root, "knip", ["--no-progress"]),
    () => check("terms: scripts/check-terms.mjs", root, "node", ["scripts/check-terms.mjs"]),
    () => check("texts: i18next-cli extract --ci", web, "i18next-cli", ["extract", "--ci", "--dry-run"]),
    () => check("translations: i18next-cli status", web, "i18next-cli", ["status"]),
    () => tests("packages/shared", shared, []),
    () => tests("apps/web", web, []),
  ]),
]);
if (hasEngine())
  await check("Docker Compose: scripts/check-compose.mjs", root, "node", ["scripts/check-compose.mjs"]);
else say("Docker Compose: not checked, no Docker engine with Compose answers here");

process.exitCode = failures.length === 0 ? 0 : 1;

async function oneByOne(works) {
  for (const work of works) await work();
}

/** Runs one step as one result. */
function step(title, work) {
  try {
    work();
    passed += 1;
    return true;
  } catch (error) {
    console.error(error.message);
    failures.push(title);
    return false;
  }
}

/** redis-server and the browser come from the system. As root on Debian they are installed automatically. */
function services() {
  const missing = [];
  if (!isOnPath("redis-server")) missing.push("redis-server");
  // The headless shell needs half the time of the whole browser, which is used where there is no shell.
  const browsers = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  if (!browsers.some(isOnPath)) {
    missing.push("chromium-headless-shell", "fonts-noto-cjk", "fonts-noto-color-emoji");
  }
  if (missing.length > 0 && !addPackages(missing))
    fail(
      `The tests need ${missing.join(", ")}. On Debian or Ubuntu: sudo apt-get install -y ${missing.join(" ")}`,
    );
  // Without MariaDB the tests of imports from it are skipped.
  const mariadb = ["mariadb-server-core", "mariadb-client-core"];
  if (!isOnPath("mariadbd") && !addPackages(mariadb))
    say(`Imports from MariaDB: not tested without ${mariadb.join(" and ")}`);
  // Without Python the scripts for One Hub are skipped.
  if (!isOnPath("python3") && !addPackages(["python3"]))
    say("Scripts for One Hub: not tested without python3");
}

/** Returns whether the packages are there afterwards. */
function addPackages(packages) {
  if (process.geteuid?.() !== 0 || !isOnPath("apt-get")) return false;
  say(`Installing ${packages.join(", ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // Another apt-get can be running on a machine that has just started, and a mirror can be slow.
  const patience = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  const apt = (...args) => spawnSync("apt-get", [...patience, ...args], { env, encoding: "utf8" });
  const update = apt("update");
  const result = apt("install", "-y", "--no-install-recommends", ...packages);
  if (result.status === 0) return true;
  console.error(`${update.stderr}${result.stderr}`);
  return false;
}

function isOnPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Runs one check as one result. Its output is printed only when it fails. */
async function check(title, cwd, program, args) {
  const lines = [];
  const options = { cwd, env: { ...toolEnvironment(cwd), NO_COLOR: "1" } };
  const trouble = await run(program, args, options, (line) => lines.push(line));
  say(`${title}: ${trouble === undefined ? "ok" : "failed"}`);
  if (trouble === undefined) {
    passed += 1;
    return;
  }
  failures.push(title);
  console.log([...lines, trouble].join("\n"));
}

/** Runs one vitest project and adds the results of its JSON report. Its lines begin with its title. */
async function tests(title, cwd, flags) {
  const report = join(results, `${title.replaceAll("/", "-")}.json`);
  mkdirSync(results, { recursive: true });
  rmSync(report, { force: true });
  const vitest = join(cwd, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const options = { cwd, env: { ...toolEnvironment(cwd), NODE_ENV: "test", NO_COLOR: "1" } };
  const trouble = await run(node24(), [vitest, "run", ...flags, ...reporters], options, (line) => {
    if (line.trim() !== "") console.log(`${title.padEnd(15)} | ${line}`);
  });
  const before = failures.length;
  if (existsSync(report)) addUp(title, JSON.parse(readFileSync(report, "utf8")));
  if (trouble !== undefined && failures.length === before) failures.push(`${title}: vitest ${trouble}`);
}

/** Runs a program to its end and passes on each line. Resolves with its error, if any. */
function run(program, args, options, onLine) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: longestGroupMs,
    });
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream, crlfDelay: Infinity }).on("line", onLine);
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? code}`));
  });
}

function addUp(title, report) {
  passed += report.numPassedTests;
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((test) => test.status === "failed");
    for (const test of failed) {
      // The last lines of a run are often all that is kept of it.
      const [reason = ""] = (test.failureMessages?.[0] ?? "").split("\n");
      failures.push(`${title}: ${test.fullName}: ${reason.slice(0, 300)}`);
    }
    // A file that could not be loaded reports no failed tests.
    if (file.status === "failed" && failed.length === 0) failures.push(`${title}: ${file.name}`);
  }
}
