import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** Child processes of the benchmark. Each part has its own process, which ends with the benchmark. */
const children = new Set<ChildProcess>();

export interface Started {
  url: string;
  pid: number;
}

function start(
  args: string[],
  env: Record<string, string>,
  output: number | "pipe",
  errors: number,
  program = process.execPath,
): ChildProcess {
  const child = spawn(program, args, {
    stdio: ["ignore", output, errors],
    // The caller's environment must not affect the measurement.
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Starts a program that prints its address as its first output. */
export async function startServer(args: string[], folder: string, name: string): Promise<Started> {
  const errors = openSync(join(folder, `${name}.log`), "a");
  const child = start(args, {}, "pipe", errors);
  closeSync(errors);
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (data: Buffer) => {
      text += data.toString();
      const found = /http:\/\/[\d.]+:\d+/.exec(text)?.[0];
      if (found !== undefined && text.includes("\n")) resolve(found);
    });
    child.once("exit", () => reject(new Error(`${name} ended at once: ${tailOf(folder, name)}`)));
  });
  return { url, pid: child.pid ?? 0 };
}

/** Starts a Node program that logs, and waits until it responds to `ready` with 200. */
export async function startLogging(
  args: string[],
  env: Record<string, string>,
  folder: string,
  name: string,
  ready: Request,
): Promise<number> {
  return startProgram(process.execPath, args, env, folder, name, ready);
}

/**
 * Starts a program of the PATH, and waits until it responds to `ready` with 200, if that is given. Returns its
 * process id.
 */
export async function startProgram(
  program: string,
  args: string[],
  env: Record<string, string>,
  folder: string,
  name: string,
  ready?: Request,
): Promise<number> {
  const log = openSync(join(folder, `${name}.log`), "a");
  const child = start(args, env, log, log, program);
  closeSync(log);
  child.once("error", (error) => console.error(`${program} does not start: ${error.message}`));
  if (ready === undefined) return child.pid ?? 0;
  const deadline = Date.now() + 300_000;
  let last = "";
  while (child.exitCode === null && child.pid !== undefined && Date.now() < deadline) {
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(ready.clone(), { signal }).catch((error: unknown) => {
      last = String(error instanceof Error ? (error.cause ?? error) : error);
    });
    if (answer !== undefined) last = `${answer.status}`;
    await answer?.body?.cancel().catch(() => undefined);
    if (answer?.status === 200) return child.pid ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const state = child.exitCode === null ? `it answers ${last}` : `it ended with code ${child.exitCode}`;
  throw new Error(`${name} does not come up, ${state}:\n${tailOf(folder, name)}`);
}

/** Runs a program to its end and returns its output. */
export async function runToEnd(args: string[], folder: string, name: string): Promise<string> {
  const errors = openSync(join(folder, `${name}.log`), "a");
  const child = start(args, {}, "pipe", errors);
  closeSync(errors);
  let text = "";
  child.stdout?.on("data", (data: Buffer) => {
    text += data.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${name} failed: ${tailOf(folder, name)}`);
  return text;
}

/** Returns the end of what a program has logged. */
export function tailOf(folder: string, name: string): string {
  return readFileSync(join(folder, `${name}.log`), "utf8").slice(-2000);
}

const PATIENCE_MS = 20_000;

export async function stopAll(): Promise<void> {
  await Promise.all(
    [...children].map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await gone;
      clearTimeout(timer);
    }),
  );
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("No free port on 127.0.0.1.");
  return address.port;
}

const TICKS_PER_SECOND = 100;

/** Returns the CPU milliseconds that a process has used so far; undefined where /proc does not exist. */
export function cpuOf(pid: number): number | undefined {
  return statOf(pid)?.cpu;
}

/** Returns the CPU milliseconds of all threads of a process but the main one. */
export function cpuOfHelpers(pid: number): number | undefined {
  const all = statOf(pid);
  const main = statOf(pid, `task/${pid}/`);
  return all === undefined || main === undefined ? undefined : all.cpu - main.cpu;
}

/** Runs all threads of a process on one core. */
export function pin(pid: number, core: string): void {
  const { status, stderr } = spawnSync("taskset", ["-acp", core, `${pid}`], { encoding: "utf8" });
  if (status !== 0) throw new Error(`taskset failed: ${stderr}`);
}

/** Returns the CPU milliseconds of a process and its children, including those that have ended. */
export function cpuOfFamily(pid: number): number | undefined {
  const head = statOf(pid);
  if (head === undefined) return undefined;
  return childrenOf(pid).reduce((sum, child) => sum + (statOf(child)?.cpu ?? 0), head.cpu + head.reaped);
}

/** Returns a process and its children: a gateway with its workers. */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid)];
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => statOf(other)?.parent === pid);
}

function statOf(pid: number, task = ""): { parent: number; cpu: number; reaped: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/${task}stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ms = (first: number) =>
      ((Number(fields[first]) + Number(fields[first + 1])) * 1000) / TICKS_PER_SECOND;
    return { parent: Number(fields[1]), cpu: ms(11), reaped: ms(13) };
  } catch {
    return undefined;
  }
}
