import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/billing/audit.ts";
import { connect, type Database } from "#platform/db.ts";
import { freshDatabase, type TestDatabase } from "./database.ts";

/** The process as operators meet it: told to stop, or killed, in the middle of calls. */
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const accessToken = "root-access-token-for-the-lifecycle-012345678";

let place: TestDatabase;
let database: Database;
let dataDir: string;

beforeAll(async () => {
  place = await freshDatabase();
  database = connect(place.url, { max: 4 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-life-"));
});
afterAll(async () => {
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

interface Running {
  url: string;
  process: ChildProcess;
  ended: Promise<number | null>;
}

async function start(): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "test",
      HOST: "127.0.0.1",
      PORT: String(port),
      DATABASE_URL: place.url,
      DATA_DIR: dataDir,
      ROOT_USERNAME: "root",
      ROOT_PASSWORD: "correct horse battery",
      ROOT_ACCESS_TOKEN: accessToken,
      LOG_LEVEL: "error",
    },
  });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries += 1) {
    const up = await fetch(`${url}/api/ready`).catch(() => undefined);
    if (up?.ok) return { url, process: child, ended };
    await sleep(100);
  }
  child.kill("SIGKILL");
  throw new Error("The gateway did not start.");
}

async function api<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { authorization: accessToken, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const answer = (await response.json()) as { success: boolean; data: T };
  expect(answer).toMatchObject({ success: true });
  return answer.data;
}

async function startStream(url: string, key: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "demo-chat",
      stream: true,
      messages: [{ role: "user", content: "[[length=60]] [[chunk-delay=30]]" }],
    }),
  });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("no body");
  await reader.read();
  return reader as ReadableStreamDefaultReader<Uint8Array>;
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}

const user = () => database.db.user.findFirstOrThrow({ where: { role: 100 } });

describe("the process", () => {
  it("lets a call finish when it is told to stop, and leaves no reservation", async () => {
    const gateway = await start();
    await api(gateway.url, "POST", "/channel", {
      type: 900,
      name: "demo",
      models: ["demo-chat"],
      groups: ["default"],
    });
    const { key } = await api<{ key: string }>(gateway.url, "POST", "/token", { name: "t" });
    const reader = await startStream(gateway.url, key);
    gateway.process.kill("SIGTERM");
    expect(await readAll(reader)).toContain("[DONE]");
    expect(await gateway.ended).toBe(0);
    expect((await user()).reserved).toBe(0n);
    expect(await database.db.reservation.count()).toBe(0);
    expect(await database.db.node.count()).toBe(0);
    expect((await audit(database.pool)).drift).toBe(0n);
  });

  it("charges nothing for a call that it was killed in, and another node releases the hold", async () => {
    const before = await user();
    const doomed = await start();
    const { key } = await api<{ key: string }>(doomed.url, "POST", "/token", { name: "t2" });
    const reader = await startStream(doomed.url, key);
    expect((await user()).reserved).toBeGreaterThan(0n);
    doomed.process.kill("SIGKILL");
    await expect(readAll(reader)).rejects.toThrow();
    await doomed.ended;

    const heir = await start();
    // As if a minute had passed since its last sign of life. The heir judges once it has been steady for half of one.
    await database.pool.query(
      "UPDATE nodes SET heartbeat = now() - interval '1 minute' WHERE started_time = (SELECT min(started_time) FROM nodes)",
    );
    for (let tries = 0; tries < 120 && (await user()).reserved > 0n; tries += 1) await sleep(500);
    const after = await user();
    expect([after.reserved, after.quota]).toEqual([0n, before.quota]);
    expect((await audit(database.pool)).drift).toBe(0n);
    heir.process.kill("SIGTERM");
    expect(await heir.ended).toBe(0);
  }, 90_000);
});
