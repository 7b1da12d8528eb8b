// pnpm verify:<subject>: what is too long for npm test, or needs more than this machine's Postgres, Redis and browser.
// The nightly workflow runs all of them.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  serverFlags,
  toolEnvironment,
} from "./steps.mjs";
import { endEarlierRun } from "./testing/processes.mjs";
import { printReport, report } from "./testing/report.mjs";
import { provide } from "./testing/services.mjs";
import { runSuite, suites, testFiles } from "./testing/suites.mjs";
import { verifyDocs } from "./testing/verify-docs.mjs";

const subjects = {
  screens: {
    about: "all screens, menus, dialogs and tooltips, in every language and colour scheme",
    run: screens,
  },
  browser: {
    about: "every browser test, also those tagged @nightly, none of them repeated after a failure",
    run: () => browser(),
  },
  "slow-network": {
    about: "the same, while each response of the API arrives up to 0.9 seconds late in the browser",
    run: () => browser({ SLOW_NETWORK: "1" }),
  },
  faults: {
    about: "faults that take long: leases that expire, providers that hang, nodes that pause or rest",
    run: () => serverTests("test/faults"),
  },
  imports: { about: "imports from MariaDB and from the databases of other products", run: imports },
  server: { about: "all long tests of the server", run: () => serverTests("") },
  chaos: {
    about: "200 rounds of killed gateways, Postgres and Redis under load",
    run: chaos,
  },
  clients: {
    about: "coding agents from npm at every kind of upstream",
    run: () => program("bench/matrix/main.ts"),
  },
  memory: {
    about:
      "a gateway limited to 512 MB and one core under 500 streams and large bodies; needs control groups",
    run: () => program("bench/states/limited-memory.ts"),
  },
  containers: {
    about: "Docker Compose from nothing to the first call, and one container; needs a Docker engine",
    run: () => script("scripts/check-compose.mjs"),
  },
  registry: {
    about: "the image pushed to a registry, pulled and started with Compose; needs a Docker engine",
    run: () => script("scripts/check-registry.mjs"),
  },
  kubernetes: {
    about: "the Helm chart: rendered, validated, and values that it must refuse; needs helm",
    run: () => script("scripts/check-chart.mjs"),
  },
  monitoring: {
    about: "every query of the dashboards and alerts against a Prometheus that reads a gateway under load",
    run: monitoring,
  },
  proxies: {
    about: "the examples of nginx and Caddy: streams, WebSockets, uploads of 100 MB, a base path",
    run: proxies,
  },
  databases: {
    about: "two nodes behind pgbouncer, with a standby and Redis Sentinel, all of which fail under load",
    run: databases,
  },
  restart: {
    about: "two nodes restarted under load behind nginx or Caddy; no call may fail because of a node",
    run: restart,
  },
  upgrade: {
    about: "nodes of the previous version replaced by this one under load; no call may fail",
    run: () => program("bench/upgrade/main.ts"),
  },
  postgres: {
    about: "the embedded Postgres of an older major version, from npm, upgraded to the bundled one",
    run: () => program("bench/postgres/main.ts"),
  },
  backup: {
    about: "backups and the log under load into a folder and S3, everything deleted, restored, and audited",
    run: () => program("bench/backup/main.ts"),
  },
  clone: { about: "npm start in a fresh clone, until it serves the console", run: clone },
  docs: {
    about: "the shell examples of README and documentation, in an empty folder with Node.js and npm only",
    run: verifyDocs,
  },
  recipes: {
    about:
      "pnpm new and each recipe of CONTRIBUTING.md in a temporary clone: types, lint, tests, number of files",
    run: recipes,
  },
  repeat: { about: "each changed test file 20 times: pnpm verify:repeat [commit]", run: repeat },
};
const REPEATS = 20;

const [name = "", ...args] = process.argv.slice(2);
requireNode();
if (!Object.hasOwn(subjects, name))
  fail(
    `Say what to verify:\n${Object.entries(subjects)
      .map(([subject, { about }]) => `  pnpm verify:${subject.padEnd(12)} ${about}`)
      .join("\n")}`,
  );
install();
generate();
await subjects[name].run();
if (report.passed + report.failures.length > 0) printReport();
if (report.failures.length > 0) process.exitCode = 1;

async function screens() {
  endEarlierRun();
  provide("redis", "browser");
  buildWeb();
  buildServer();
  await runSuite(suites.e2e, { flags: ["--project", "verify"], env: { VERIFY_SCREENS: "1" } });
}

async function browser(env) {
  endEarlierRun();
  provide("redis", "browser");
  buildWeb();
  buildServer();
  await runSuite(suites.e2e, { files: ["apps/web/e2e/"], repeats: 0, env });
}

async function serverTests(filter) {
  endEarlierRun();
  provide("redis");
  buildServer();
  const filters = filter === "" ? [] : [filter];
  await runSuite(suites.server, { flags: filters, onlyNightly: true });
  await runSuite(suites.server, { flags: ["--config", "vitest.verify.config.ts", ...filters] });
}

function proxies() {
  provide("nginx", "caddy", "openssl");
  buildWeb();
  program("bench/proxies/main.ts");
}

function chaos() {
  provide("redis");
  program("bench/chaos/main.ts");
}

function restart() {
  provide("nginx", "caddy");
  program("bench/restart/main.ts");
}

function databases() {
  provide("redis", "pgbouncer");
  buildServer();
  program("bench/databases/main.ts");
}

function monitoring() {
  provide("redis", "prometheus");
  program("bench/monitoring/main.ts");
}

async function imports() {
  provide("mariadb");
  await serverTests("test/cli");
}

async function recipes() {
  provide("redis");
  // It needs libraries, which are installed by now.
  const { verifyRecipes } = await import("./recipes/verify.mjs");
  verifyRecipes(args[0]);
}

/** Runs each test file that differs from a commit (by default the last one) 20 times. */
async function repeat() {
  const [since = "HEAD~1"] = args;
  const changed = execFileSync("git", ["diff", "--name-only", "--diff-filter=d", since], {
    cwd: root,
    encoding: "utf8",
  }).split("\n");
  const files = testFiles().filter((file) => changed.includes(file) && !/[./]verify[./]/.test(file));
  if (files.length === 0) return say(`No test file differs from ${since}.`);
  endEarlierRun();
  provide("redis", "browser");
  buildWeb();
  buildServer();
  for (const suite of Object.values(suites)) {
    const own = files.filter(suite.has);
    if (own.length === 0) continue;
    // Playwright has a flag for it; Vitest runs again, which also repeats what a file starts.
    if (suite.browser) await runSuite(suite, { files: own, flags: [`--repeat-each=${REPEATS}`], repeats: 0 });
    else for (let round = 0; round < REPEATS; round += 1) await runSuite(suite, { files: own });
  }
}

/** Follows the README in an empty folder. */
async function clone() {
  const folder = mkdtempSync(join(tmpdir(), "gateway-clone-"));
  try {
    execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, folder]);
    await serves(folder);
    say("npm start in a fresh clone serves the console.");
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function serves(folder) {
  const child = spawn("npm", ["start"], {
    cwd: folder,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const end = (signal) => child.pid !== undefined && process.kill(-child.pid, signal);
  const timer = setTimeout(() => end("SIGKILL"), 15 * 60_000);
  try {
    let output = "";
    for await (const chunk of child.stdout) {
      process.stdout.write(chunk);
      output += chunk;
      const [, url] = /Listening on (http:\/\/\S+)/.exec(output) ?? [];
      if (url === undefined) continue;
      const page = await (await fetch(url, { signal: AbortSignal.timeout(10_000) })).text();
      if (!page.includes('<div id="root">')) fail(`${url} does not serve the console.`);
      return;
    }
    fail("npm start ended before it served the console.");
  } finally {
    clearTimeout(timer);
    end("SIGTERM");
  }
}

function program(path) {
  buildServer();
  script(join(suites.server.folder, path), serverFlags());
}

function script(path, flags = []) {
  const { status } = spawnSync(node24(), [...flags, path, ...args], {
    cwd: root,
    env: toolEnvironment(),
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
