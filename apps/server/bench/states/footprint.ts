/**
 * CPU seconds from the start of a gateway until it listens, and its memory when idle, for the sources and the
 * bundle. Linux only, with its own Postgres. Options: `--rounds 3`, `--idle 8` (seconds).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "#platform/places.ts";
import { gatewayFlags } from "#test/gateway-process.ts";
import { startThrowAwayPostgres } from "#test/run/services.ts";
import { readCommandLine } from "../command-line.ts";

const options = readCommandLine("pnpm bench:start", {
  rounds: { whole: 3, help: "counted starts of each program" },
  idle: { whole: 8, help: "seconds from ready to the measurement of memory" },
});
const programs = ["apps/server/src/main.ts", "apps/server/dist/bundle/main.js"];
const TICKS_PER_SECOND = 100;

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the resident memory, and the part that no other process shares. */
function memory(pid: number): { rss: number; own: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) / 1024);
  return { rss: megabytes("Rss"), own: megabytes("Anonymous") };
}

async function listening(child: ChildProcess): Promise<void> {
  const { stdout } = child;
  if (stdout === null) throw new Error("The gateway has no output.");
  for await (const line of createInterface({ input: stdout })) if (line.includes("Listening on")) break;
  stdout.resume();
  if (child.exitCode !== null) throw new Error(`The gateway ended with code ${child.exitCode}.`);
}

async function measure(program: string, env: Record<string, string>): Promise<string> {
  const began = performance.now();
  const child = spawn(process.execPath, [...gatewayFlags, join(root, program)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  const ended = once(child, "exit");
  try {
    await listening(child);
    const seconds = (performance.now() - began) / 1_000;
    const cpu = cpuSeconds(child.pid ?? 0);
    await sleep(options.idle * 1_000);
    const { rss, own } = memory(child.pid ?? 0);
    return `${seconds.toFixed(1)} s, ${cpu.toFixed(2)} CPU s; idle ${rss} MB, of which ${own} MB its own`;
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

const folder = await mkdtemp(join(tmpdir(), "gateway-footprint-"));
const postgres = await startThrowAwayPostgres();
try {
  for (const program of programs.filter((path) => existsSync(join(root, path)))) {
    const env = {
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: "0",
      DRAIN_SECONDS: "0",
      DATABASE_URL: postgres.url,
      DATA_DIR: folder,
      ...(program.endsWith(".js") && { NODE_COMPILE_CACHE: join(folder, "compiled") }),
    };
    for (let round = 0; round <= options.rounds; round += 1)
      console.log(
        `${program}, ${round === 0 ? "first start" : `start ${round + 1}`}: ${await measure(program, env)}`,
      );
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
