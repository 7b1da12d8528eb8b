import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { startGatewayProcess } from "#test/gateway-process.ts";

/** The gateway's process is stopped in the middle of calls. */
let place: TestDatabase;
let database: Database;
let dataDir: string;

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 4 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-life-"));
});
afterAll(async () => {
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (env: { DRAIN_SECONDS?: string } = {}) =>
  startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: dataDir, ...env });

/** Starts a stream of `words` words, one per 30 ms, and waits for the first. */
async function startStream(
  url: string,
  key: string,
  words: number,
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "demo-chat",
      stream: true,
      messages: [{ role: "user", content: `[[length=${words}]] [[chunk-delay=30]]` }],
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
  it("lets a call finish when it is stopped, and leaves no reservation", { tags: "nightly" }, async () => {
    const gateway = await start();
    await gateway.api("POST", "/channel", {
      type: 900,
      name: "demo",
      models: ["demo-chat"],
      groups: ["default"],
    });
    const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" });
    const reader = await startStream(gateway.url, key, 60);
    gateway.process.kill("SIGTERM");
    expect(await readAll(reader)).toContain("[DONE]");
    expect(await gateway.ended).toBe(0);
    expect((await user()).reserved).toBe(0n);
    expect(await database.db.reservation.count()).toBe(0);
    expect(await database.db.node.count()).toBe(0);
    expect((await audit(database.pool)).drift).toBe(0n);
  });

  it("is not ready while it drains, but serves new calls in the meantime", async () => {
    const gateway = await start({ DRAIN_SECONDS: "1" });
    const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "drain" });
    const statusOf = async (path: string) =>
      (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await statusOf("/api/ready")).toBe(200);
    gateway.process.kill("SIGTERM");
    await expect.poll(() => statusOf("/api/ready"), { interval: 20 }).toBe(503);
    expect(await statusOf("/v1/models")).toBe(200);
    expect(await gateway.ended).toBe(0);
  });
});
