import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Client, Setting } from "./client.ts";

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  output: string;
  timedOut: boolean;
}

/** On a busy machine, some clients need 20 seconds before their first request. */
const LIMIT_MS = 240_000;
const END_MS = 15_000;
const OUTPUT_BYTES = 200_000;

/** Runs a client once. It gets a process group of its own, which ends with it. */
export async function runProgram(
  client: Client,
  executable: string,
  setting: Setting,
  interrupt?: Promise<void>,
): Promise<Ended> {
  const { args, before, env, files } = client.command(setting);
  for (const [path, text] of Object.entries(files ?? {})) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  // The caller's environment must not configure the client.
  const whole = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: setting.home,
    TERM: "dumb",
    NO_COLOR: "1",
    DO_NOT_TRACK: "1",
    ...env,
  };
  const options = { cwd: setting.workspace, env: whole };
  for (const first of before ?? [])
    await promisify(execFile)(executable, first, { ...options, timeout: LIMIT_MS });
  const child = spawn(executable, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const group = -(child.pid ?? 0);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => {
      output = (output + bytes.toString("utf8")).slice(-OUTPUT_BYTES);
    });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    signal(group, "SIGKILL");
  }, LIMIT_MS);
  void interrupt?.then(async () => {
    signal(group, "SIGINT");
    await Promise.race([ended, sleep(END_MS)]);
    signal(group, "SIGTERM");
  });
  try {
    const code = await ended;
    return { code, output, timedOut };
  } finally {
    clearTimeout(timer);
    signal(group, "SIGKILL");
  }
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(group, name);
  } catch {
    // The group has ended.
  }
}
