import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { isPostgresOn } from "#platform/database/postgres-process.ts";

/** A real service for one test run. `stop()` deletes everything it wrote. */
export interface Service {
  url: string;
  stop(): Promise<void>;
}

const prefix = "gateway-test-";

/**
 * In memory where the system has the space (Linux, but not a container with its usual 64 MB). Each database is a copy of
 * 670 files, and creating files costs most of the time on a disk.
 */
const inMemory = "/dev/shm";
const LEAST_FREE_BYTES = 4 * 1024 ** 3;

/** Starts a Postgres without fsync in its own temporary folder. */
export async function startThrowAwayPostgres(): Promise<Service> {
  await clearLeftovers();
  const folder = throwAwayFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false, log: () => undefined });
  const forget = onExit(() => {
    killNow(postgres.pid());
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    url: postgres.url,
    async stop() {
      forget();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts redis-server from PATH on a free port, without persistence. */
export async function startThrowAwayRedis(): Promise<Service> {
  const { redis, port } = await launchRedis();
  const folder = throwAwayFolder();
  writeFileSync(join(folder, "redis.pid"), String(redis.pid));
  const forget = onExit(() => {
    killNow(redis.pid);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      forget();
      rmSync(folder, { recursive: true, force: true });
      if (redis.exitCode !== null) return;
      const gone = new Promise((resolve) => redis.once("exit", resolve));
      redis.kill("SIGTERM");
      await gone;
    },
  };
}

/** redis-server cannot choose a port itself, and another program can take a free port before it starts. */
async function launchRedis(attempts = 5): Promise<{ redis: ChildProcess; port: number }> {
  const port = await freePort();
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const redis = spawn("redis-server", flags, { stdio: ["ignore", "pipe", "inherit"], detached: true });
  try {
    await ready(redis);
    return { redis, port };
  } catch (error) {
    if (attempts === 1 || !String(error).includes("Address already in use")) throw error;
    return launchRedis(attempts - 1);
  }
}

function ready(redis: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    redis.once("error", () => {
      reject(new Error("The tests need redis-server on PATH (Debian: apt-get install redis-server)."));
    });
    redis.once("close", (code) => reject(new Error(`redis-server ended with code ${code}: ${text}`)));
    redis.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("Ready to accept connections")) resolve();
    });
  });
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

function throwAwayFolder(): string {
  const folder = mkdtempSync(join(hasSpace(inMemory) ? inMemory : tmpdir(), prefix));
  // Postgres may run as another user, because it refuses to run as root. That user needs access to the
  // folder.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "owner"), String(process.pid));
  return folder;
}

/** Cleans up after an earlier test run that was killed. */
async function clearLeftovers(): Promise<void> {
  for (const folder of [inMemory, tmpdir()].flatMap(leftoversIn)) {
    const owner = Number(readIfThere(join(folder, "owner")));
    if (!(owner > 0) || isAlive(owner)) continue;
    const data = join(folder, "postgres");
    const pid = Number(readIfThere(join(data, "postmaster.pid")).split("\n")[0]);
    if (await isPostgresOn(pid, data)) {
      killNow(pid);
      await sleep(100);
    }
    const redisPid = Number(readIfThere(join(folder, "redis.pid")));
    if (readIfThere(`/proc/${redisPid}/cmdline`).includes("redis-server")) killNow(redisPid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function leftoversIn(parent: string): string[] {
  try {
    return readdirSync(parent)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(parent, name));
  } catch {
    return [];
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends a service with SIGQUIT. Postgres and redis-server both stop immediately. */
function killNow(pid: number | undefined): void {
  if (pid === undefined || !(pid > 0)) return;
  try {
    process.kill(pid, "SIGQUIT");
  } catch {
    // It was gone already.
  }
}

/** Cleans up if the test runner exits without its teardown. Returns a function that cancels this. */
function onExit(cleanUp: () => void): () => void {
  process.once("exit", cleanUp);
  // Without a listener, these signals end the process without the event above.
  for (const signal of ["SIGTERM", "SIGHUP"] as const)
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(1));
  return () => process.off("exit", cleanUp);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
