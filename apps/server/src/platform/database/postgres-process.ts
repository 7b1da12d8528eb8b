import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { errorCodeOf } from "#platform/error-code.ts";
import {
  type SystemAccount,
  temporaryPathFor,
  handOver,
  isOccupied,
  isThere,
  type PostgresHome,
} from "./postgres-home.ts";

/** A running Postgres on 127.0.0.1. */
export interface RunningPostgres {
  pid: number;
  port: number;
}

export interface StartSettings {
  /** The preferred port. 0 or a port in use means any free port. */
  port: number;
  /** False: no fsync. The data survives a crash of Postgres but not of the machine. */
  durable: boolean;
}

export const superuser = "gateway";

const run = promisify(execFile);
const logLimitBytes = 5_000_000;
const readyTimeoutMs = 300_000;

// A user's PG* variables would affect the server, so the environment is our own.
const cleanEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

function identity(account: SystemAccount | undefined) {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Creates the cluster under a temporary name and renames it, so that a cluster is either complete or absent.
 */
export async function createCluster(home: PostgresHome, password: string, durable: boolean): Promise<void> {
  const draft = temporaryPathFor(home.data);
  const passwordFile = `${draft}.password`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await handOver(draft, home.account);
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    await handOver(passwordFile, home.account);
    const flags = [
      `--pgdata=${draft}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // Postgres' own locale: code-point order and Unicode case, the same on every machine.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      "--no-instructions",
      ...(durable ? [] : ["--no-sync"]),
    ];
    await run(join(home.binaries, "initdb"), flags, {
      ...identity(home.account),
      env: cleanEnvironment,
      cwd: "/",
    });
    await rename(draft, home.data);
  } catch (error) {
    // Another node on the same DATA_DIR was faster. Its cluster has the same password.
    if (isOccupied(error)) return;
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new Error(`The embedded database could not be created in ${home.data}: ${output}`, {
      cause: error,
    });
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Finds the Postgres that already runs on this cluster, or starts one. Resolves when it accepts connections.
 */
export async function ensureRunning(
  home: PostgresHome,
  settings: StartSettings,
  log: (sentence: string) => void,
): Promise<RunningPostgres & { launched: boolean }> {
  const deadline = performance.now() + readyTimeoutMs;
  let launched = false;
  const note = setTimeout(() => log("Postgres is taking its time (recovering after a crash?)."), 5_000);
  try {
    for (;;) {
      const found = await findRunning(home.data);
      if (found?.status === "ready") return { ...found, launched };
      if (found === undefined) {
        const failure = await launch(home, settings, deadline);
        launched = failure === undefined;
        if (failure !== undefined && !isPassing(failure)) {
          throw new Error(`The embedded database did not start: ${failure} (see ${logFile(home.data)})`);
        }
      }
      if (performance.now() > deadline) {
        throw new Error(
          `The embedded database was not ready after ${readyTimeoutMs / 1000} s (see ${logFile(home.data)}).`,
        );
      }
      await sleep(50);
    }
  } finally {
    clearTimeout(note);
  }
}

/**
 * Starts Postgres in its own session, so that a Ctrl-C does not reach it before the gateway. Returns the
 * failure, if any.
 */
async function launch(
  home: PostgresHome,
  settings: StartSettings,
  deadline: number,
): Promise<string | undefined> {
  await removeStalePidFile(home.data);
  const file = logFile(home.data);
  await limitLog(file);
  const started = (await isThere(file)) ? (await stat(file)).size : 0;
  const output = openSync(file, "a", 0o600);
  const child = spawn(
    join(home.binaries, "postgres"),
    flags(home.data, settings, await freePort(settings.port)),
    {
      ...identity(home.account),
      env: cleanEnvironment,
      cwd: "/",
      detached: true,
      stdio: ["ignore", output, output],
    },
  );
  closeSync(output);
  child.unref();
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`));
  });
  let end: string | undefined;
  while (end === undefined && performance.now() < deadline) {
    const found = await findRunning(home.data);
    if (found?.status === "ready") return undefined;
    end = await Promise.race([ended, sleep(20, undefined)]);
  }
  const stderr = (await readFile(file, "utf8")).slice(started);
  const reason = stderr.split("\n").findLast((line) => /FATAL|PANIC|error/.test(line));
  return reason ?? end;
}

function flags(data: string, settings: StartSettings, port: number): string[] {
  const durability = settings.durable ? "on" : "off";
  const values = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_buffers: `${bufferMegabytes()}MB`,
    // All gateways of a test run share a disposable database.
    max_connections: settings.durable ? 100 : 200,
    fsync: durability,
    synchronous_commit: "on",
    full_page_writes: durability,
    huge_pages: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    // Callers report statement errors themselves, and statements may contain prompts.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
  };
  return ["-D", data, ...Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/**
 * Returns an eighth of the available memory, within bounds. Pages that every call uses then stay cached while
 * the log grows.
 */
function bufferMegabytes(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.min(1024, Math.max(128, Math.floor(bytes / 8 / 1024 ** 2)));
}

/**
 * Returns whether the next attempt may succeed: another process is starting, or a crashed one still releases
 * resources.
 */
function isPassing(failure: string): boolean {
  return /lock file|shared memory block|could not create any TCP\/IP|Address already in use/.test(failure);
}

export function logFile(data: string): string {
  return `${data}.log`;
}

async function limitLog(file: string): Promise<void> {
  if ((await isThere(file)) && (await stat(file)).size > logLimitBytes) await truncate(file);
}

interface FoundPostgres extends RunningPostgres {
  status: string;
}

/** Stops the Postgres that a killed process left running on a cluster, if there is one. */
export async function shutDownIfRunning(data: string): Promise<void> {
  const found = await findRunning(data);
  if (found !== undefined) await shutDown(data, found.pid);
}

/** Reads postmaster.pid. Trusts it only when that process really is a Postgres on this cluster. */
async function findRunning(data: string): Promise<FoundPostgres | undefined> {
  const lines = await readPidFile(data);
  const pid = Number(lines?.[0]);
  if (lines === undefined || !(pid > 0) || !(await isPostgresOn(pid, data))) return undefined;
  return { pid, port: Number(lines[3]), status: (lines[7] ?? "").trim() };
}

async function readPidFile(data: string): Promise<string[] | undefined> {
  try {
    return (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns whether this process is a Postgres on that folder, and not another process that reused its id. */
export async function isPostgresOn(pid: number, data: string): Promise<boolean> {
  const command = await commandOf(pid);
  return command.includes("postgres") && command.includes(data);
}

/** Returns the command line of a process, or "" when there is none (or only a zombie). */
async function commandOf(pid: number): Promise<string> {
  try {
    if (process.platform === "linux") return await readFile(`/proc/${pid}/cmdline`, "utf8");
    return (await run("ps", ["-ww", "-o", "command=", "-p", String(pid)])).stdout;
  } catch {
    return "";
  }
}

/**
 * Removes a stale postmaster.pid. After a power cut its process id may belong to any process, and Postgres
 * would refuse to start.
 */
async function removeStalePidFile(data: string): Promise<void> {
  const lines = await readPidFile(data);
  if (lines === undefined || (await isPostgresOn(Number(lines[0]), data))) return;
  await rm(join(data, "postmaster.pid"), { force: true });
}

async function freePort(preferred: number): Promise<number> {
  return (await tryListen(preferred)) ?? (await tryListen(0)) ?? 0;
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : undefined;
      server.close(() => resolve(taken));
    });
  });
}

/**
 * Runs a fast shutdown (open transactions are rolled back), and an immediate one if that takes longer than 30
 * seconds.
 */
export async function shutDown(data: string, pid: number): Promise<void> {
  signal(pid, "SIGINT");
  if (await isGone(data, pid, 30_000)) return;
  signal(pid, "SIGQUIT");
  if (await isGone(data, pid, 10_000)) return;
  throw new Error(`The embedded database (process ${pid}) did not stop.`);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCodeOf(error) !== "ESRCH") throw error;
  }
}

async function isGone(data: string, pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (!(await isPostgresOn(pid, data))) return true;
    await sleep(20);
  }
  return false;
}
