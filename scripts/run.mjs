// pnpm dev | e2e | gateway | bench | bench:channels | fuzz | lighthouse | measure:console, on the pinned Node.
//   dev      the server, restarted on every change, with Vite in front of it
//   cli      the command-line tool of an installation (docs/cli.md)
//   bench    the measurements behind the numbers in the documentation
//   bench:abuse  CPU time of large requests that are not paid, beside a plain JSON.parse
//   bench:channels  cost of thousands of channels, including the screen that lists them
//   bench:start  CPU seconds of a start and the memory of an idle gateway, of the sources and of the bundle
//   bench:states  a gateway that was just started, at rest, and with streams open, beside the pass-through
//   bench:session  the bills of an agent's session of 60 turns: affinity off and on, marks for the prompt cache off and on
//   bench:import  time and memory of an import of 100,000 users and a million calls
//   bench:ledger  calls per second of the ledger alone, with one, two and four shards
//   structure  the modules that one chat request visits
//   seed-logs, measure-logs   ten million calls, and the time that each screen waits for them
//   lighthouse  Lighthouse scores of the first pages of the built web
//   measure-console  size, paint, layout shifts and reaction times of the built console
//   pictures  the pictures of README, light and dark
//   e2e      the browser tests, with the flags of Playwright: pnpm e2e --ui
//   fuzz     every property test with random seeds and, unless a number is given, 20 times as many runs
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  buildServer,
  buildWeb,
  fail,
  generate,
  hand,
  install,
  node24,
  requireNode,
  root,
  serverFlags,
  toolEnvironment,
} from "./steps.mjs";
import { provide } from "./testing/services.mjs";

const [what, ...rest] = process.argv.slice(2);
const server = join(root, "apps/server");
const programs = {
  bench: "bench/calls/main.ts",
  "bench:abuse": "bench/abuse.ts",
  "bench:channels": "bench/channels.ts",
  "bench:import": "bench/import/main.ts",
  "bench:ledger": "bench/ledger.ts",
  "bench:session": "bench/session/main.ts",
  "bench:start": "bench/states/footprint.ts",
  "bench:states": "bench/states/main.ts",
  cli: "src/cli/main.ts",
  "measure-logs": "bench/logs/measure-logs.ts",
  "seed-logs": "bench/logs/seed-logs.ts",
  structure: "bench/visited-modules.ts",
};
/** Programs that run the bundle, as `npm start` and the image do. */
const bundled = new Set(["bench", "bench:abuse", "bench:import", "bench:start", "bench:states"]);
const browserPrograms = {
  lighthouse: "lighthouse.ts",
  "measure-console": "measure.ts",
  pictures: "pictures.ts",
};

requireNode();
install();
generate();

if (what === "dev") dev();
else if (what === "fuzz") fuzz(Number(rest[0] ?? 20));
else if (what === "e2e") e2e();
else if (what in browserPrograms) {
  buildWeb();
  hand(node24(), [join(root, "apps/web/e2e", browserPrograms[what]), ...rest]);
} else if (what in programs) {
  if (what === "bench:channels") buildWeb();
  if (bundled.has(what)) buildServer();
  hand(node24(), [...serverFlags(), join(server, programs[what]), ...rest]);
} else
  fail(`Say what to run: dev, e2e, fuzz, ${Object.keys({ ...browserPrograms, ...programs }).join(", ")}.`);

function dev() {
  const web = join(root, "apps/web");
  const vite = spawn(node24(), [join(web, "node_modules/vite/bin/vite.js")], {
    cwd: web,
    env: toolEnvironment(web),
    stdio: "inherit",
  });
  process.once("exit", () => vite.kill());
  const watch = ["--watch", ...serverFlags(), join(server, "src/main.ts"), ...rest];
  // Node's watcher uses the same IPC channel that hand() would open.
  hand(node24(), watch, { stdio: "inherit" });
}

/**
 * Runs the property tests. A failure prints its seed; `FAST_CHECK_SEED=<seed> vitest run <file>` reproduces
 * it.
 */
function fuzz(factor) {
  if (!(factor > 0)) fail("How many times as many runs? pnpm fuzz 20");
  for (const project of [join(root, "packages/shared"), server]) {
    const tests = readdirSync(project, { recursive: true }).filter(
      (file) =>
        /^(src|test)\/.*\.test\.ts$/.test(file) &&
        readFileSync(join(project, file), "utf8").includes('from "fast-check"'),
    );
    const env = {
      ...toolEnvironment(project),
      NODE_ENV: "test",
      FAST_CHECK_SEED: process.env.FAST_CHECK_SEED ?? "random",
      FAST_CHECK_RUNS: String(factor),
    };
    const patience = `--testTimeout=${60_000 * factor}`;
    const vitest = [join(project, "node_modules/vitest/vitest.mjs"), "run", patience, ...tests];
    const { status } = spawnSync(node24(), vitest, { cwd: project, env, stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}

/** Runs the browser tests. `--ui` opens Playwright's interface, in the default browser where Playwright has none of its own. */
function e2e() {
  provide("redis", "browser");
  buildWeb();
  buildServer();
  const web = join(root, "apps/web");
  hand(node24(), [join(web, "node_modules/@playwright/test/cli.js"), "test", ...rest], {
    cwd: web,
    env: { ...toolEnvironment(web), NODE_ENV: "test" },
  });
}
