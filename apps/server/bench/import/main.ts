/**
 * `pnpm bench:import`: makes a One Hub database of `--users`, `--tokens` and `--logs` rows, and imports it with the command-line
 * tool into a throw-away Postgres: duration, rows per second and peak memory of the tool. Linux only.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import pg from "pg";
import type { ImportReport } from "#migration/report.ts";
import { root } from "#platform/places.ts";
import { startThrowAwayPostgres } from "#test/run/services.ts";
import { readCommandLine } from "../command-line.ts";
import { cpuOf } from "../processes.ts";
import { fillPostgres, fillSqlite } from "./source.ts";

const { source, ...size } = readCommandLine("pnpm bench:import", {
  users: { whole: 100_000, help: "users of the source" },
  tokens: { whole: 300_000, help: "tokens of the source" },
  logs: { whole: 1_000_000, help: "log rows of the source" },
  source: { oneOf: ["sqlite", "postgres"], default: "sqlite", help: "kind of the source" },
});
const pollMs = 200;
/** A long run says where it is. */
const showEverySeconds = 60;

/** Peak resident memory in megabytes. */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

interface Measured {
  report: ImportReport;
  seconds: number;
  peak: number;
  cpuSeconds: number;
  /** CPU seconds of Postgres for the connections of the tool. */
  postgresSeconds: number;
  /** Seconds until the last row of each kind, from the start. */
  steps: Map<string, { rows: number; at: number; peak: number }>;
}

async function importFrom(from: string, env: Record<string, string>, target: pg.Client): Promise<Measured> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [join(root, "apps/server/dist/bundle/cli.js"), ..."import one-hub --yes --json --logs 3650".split(" ")],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"] ?? "", OLD_GATEWAY_DATABASE: from, ...env },
    },
  );
  const pid = child.pid ?? 0;
  let peak = 0;
  let cpuSeconds = 0;
  const look = () => {
    peak = Math.max(peak, peakOf(pid));
    cpuSeconds = Math.max(cpuSeconds, (cpuOf(pid) ?? 0) / 1_000);
  };
  const backends = new Map<number, number>();
  const timer = setInterval(look, pollMs);
  const slowTimer = setInterval(() => {
    target
      .query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE application_name = 'gateway cli'")
      .then(({ rows }) => {
        for (const row of rows) backends.set(row.pid, (cpuOf(row.pid) ?? 0) / 1_000);
      }, console.error);
  }, 2_000);
  const steps: Measured["steps"] = new Map();
  const errors: string[] = [];
  let shownAt = 0;
  createInterface({ input: child.stderr }).on("line", (line) => {
    const [, kind, rows] = /^(\w+): (\d+)$/.exec(line) ?? [];
    look();
    if (kind === undefined) errors.push(line);
    else {
      const at = (performance.now() - began) / 1_000;
      if (kind !== [...steps.keys()].at(-1) || at - shownAt > showEverySeconds) {
        shownAt = at;
        console.log(`  ${at.toFixed(0)} s: ${line}, ${count(peak)} MB`);
      }
      steps.set(kind, { rows: Number(rows), at, peak });
    }
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "close") as Promise<[number]>]);
  clearInterval(timer);
  clearInterval(slowTimer);
  const seconds = (performance.now() - began) / 1_000;
  if (code !== 0)
    throw new Error(`The import ended with ${code}:\n${errors.join("\n")}\n${out.slice(0, 4_000)}`);
  return {
    report: JSON.parse(out) as ImportReport,
    seconds,
    peak,
    cpuSeconds,
    postgresSeconds: [...backends.values()].reduce((a, b) => a + b, 0),
    steps,
  };
}

const count = (value: number) => Math.round(value).toLocaleString("en");

function print({ report, seconds, peak, cpuSeconds, postgresSeconds, steps }: Measured): void {
  let before = 0;
  for (const [kind, { rows, at, peak: sofar }] of steps) {
    const took = at - before;
    before = at;
    console.log(
      `${kind.padEnd(16)} ${count(rows).padStart(12)} rows ${took.toFixed(1).padStart(7)} s ` +
        `${count(rows / Math.max(0.1, took)).padStart(9)} rows/s   peak so far ${count(sofar)} MB`,
    );
  }
  const read = Object.values(report.counts).reduce((sum, each) => sum + each.read, 0);
  console.log(
    `\n${count(read)} rows in ${seconds.toFixed(0)} s (${count(read / seconds)} rows/s), ${cpuSeconds.toFixed(0)} s CPU of the tool, ${postgresSeconds.toFixed(0)} s of Postgres, peak ${count(peak)} MB, ` +
      `${count(report.proof.balances_compared)} balances compared, ${report.proof.balances_different} differ, drift ${report.proof.audit_drift}`,
  );
}

async function sourceDatabase(server: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query("CREATE DATABASE one_hub");
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = "/one_hub";
  return url.href;
}

const folder = await mkdtemp(join(tmpdir(), "gateway-import-"));
const postgres = await startThrowAwayPostgres();
try {
  const began = performance.now();
  const from = source === "postgres" ? await sourceDatabase(postgres.url) : join(folder, "one-api.db");
  await (source === "postgres" ? fillPostgres : fillSqlite)(from, size);
  console.log(
    `Source in ${source}: ${count(size.users)} users, ${count(size.tokens)} tokens, ${count(size.logs)} log rows, ` +
      `made in ${((performance.now() - began) / 1_000).toFixed(0)} s\n`,
  );
  const target = new pg.Client({ connectionString: postgres.url });
  await target.connect();
  const env = {
    NODE_ENV: "production",
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    SECRET_KEY: "a-key-of-the-benchmark-0123456789",
  };
  try {
    print(await importFrom(from, env, target));
  } finally {
    await target.end();
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
