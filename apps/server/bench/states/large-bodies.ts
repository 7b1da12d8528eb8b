/**
 * Cost of large and hostile request bodies: peak memory, and how long the event loop was blocked, as seen by
 * a client that requests /api/status continuously. Loopback only; every case ends within its own limits.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { startGateway } from "../calls/gateway.ts";
import { startServer, stopAll } from "../processes.ts";

const MEGABYTE = 1024 * 1024;
const CASE_TIMEOUT_MS = 120_000;

const many = (piece: string, bytes: number) =>
  Buffer.from(`{"a":[${`${piece},`.repeat(Math.floor(bytes / (piece.length + 1)))}${piece}]}`);
const chat = (content: string) =>
  Buffer.from(JSON.stringify({ model: "demo-chat", max_tokens: 1, messages: [{ role: "user", content }] }));

interface Case {
  name: string;
  bodies: number;
  body: Buffer;
  withKey: boolean;
}
const cases: Case[] = [
  { name: "no key, 62 MB of {}", bodies: 1, body: many("{}", 62 * MEGABYTE), withKey: false },
  { name: "no key, 62 MB of {}, 8 at once", bodies: 8, body: many("{}", 62 * MEGABYTE), withKey: false },
  { name: "key, 62 MB of {}", bodies: 1, body: many("{}", 62 * MEGABYTE), withKey: true },
  { name: "key, 62 MB of 1", bodies: 1, body: many("1", 62 * MEGABYTE), withKey: true },
  {
    name: "key, 62 MB of short texts",
    bodies: 1,
    body: many('"ab"', 62 * MEGABYTE),
    withKey: true,
  },
  {
    name: "key, 100,000 levels",
    bodies: 1,
    body: Buffer.from(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
    withKey: true,
  },
  { name: "key, one text of 60 MB", bodies: 1, body: chat("word ".repeat(12 * MEGABYTE)), withKey: true },
  {
    name: "key, chat of 20 MB, 60 at once",
    bodies: 60,
    body: chat("word ".repeat(4 * MEGABYTE)),
    withKey: true,
  },
];

const folder = await mkdtemp(join(tmpdir(), "gateway-bodies-"));
await chmod(folder, 0o755);
const database = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
try {
  const upstream = await startServer(
    [fileURLToPath(import.meta.resolve("@gateway/demo/main")), "--port", "0"],
    folder,
    "provider",
  );
  const wanted = process.argv.slice(2);
  for (const one of cases) {
    if (wanted.length > 0 && !wanted.some((text) => one.name.includes(text))) continue;
    // Each case has its own gateway, so that memory of the previous case does not count.
    const gateway = await startGateway(folder, database.url, { provider: upstream.url, demo: upstream.url });
    await measure(one, gateway);
    process.kill(gateway.pid, "SIGKILL");
  }
} finally {
  await stopAll();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(one: Case, { url, pid, token }: { url: string; pid: number; token: string }) {
  await fetch(`${url}/api/status`).then((answer) => answer.text());
  const before = await memoryOf(pid, "VmRSS");
  // Resets the peak memory.
  await writeFile(`/proc/${pid}/clear_refs`, "5").catch(() => {});
  let slowest = 0;
  const state = { over: false };
  const watch = (async () => {
    while (!state.over) {
      const begun = performance.now();
      await fetch(`${url}/v1/models`).then(
        (answer) => answer.text(),
        () => "",
      );
      slowest = Math.max(slowest, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  const begun = performance.now();
  const statuses = await Promise.all(Array.from({ length: one.bodies }, () => post(url, one, token)));
  const seconds = (performance.now() - begun) / 1_000;
  state.over = true;
  await watch;
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  console.log(
    [
      one.name.padEnd(32),
      `memory ${before} -> ${await memoryOf(pid, "VmHWM")} MB`,
      `another request waited at most ${slowest.toFixed(0)} ms`,
      `answers ${[...counts].map(([status, count]) => `${count} x ${status}`).join(", ")}`,
      `${seconds.toFixed(1)} s`,
    ].join(" | "),
  );
}

function post(url: string, { body, withKey }: Case, token: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      timeout: CASE_TIMEOUT_MS,
      headers: {
        "content-type": "application/json",
        "content-length": body.length,
        ...(withKey ? { authorization: `Bearer ${token}` } : {}),
      },
    });
    sent.on("response", (answer) => {
      answer.resume();
      answer.on("close", () => resolve(String(answer.statusCode)));
    });
    sent.on("timeout", () => sent.destroy());
    sent.on("error", (error) => resolve("code" in error ? String(error.code) : error.message));
    sent.end(body);
  });
}

async function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024);
}
