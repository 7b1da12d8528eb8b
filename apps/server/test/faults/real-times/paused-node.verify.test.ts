import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, killNodes, startGatewayProcess } from "#test/gateway-process.ts";

/** A node that the system paused for longer than other nodes wait for a sign of life. */
let place: TestDatabase;
let database: Database;
let dataDir: string;
let paused: GatewayProcess;
let other: GatewayProcess;

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-paused-"));
  paused = await startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: dataDir });
  other = await startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: dataDir });
}, 120_000);
afterAll(async () => {
  await killNodes(paused, other);
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const dialects = [
  {
    path: "/v1/chat/completions",
    body: (content: string) => ({
      model: "demo-chat",
      stream: true,
      messages: [{ role: "user", content }],
    }),
    end: /data: \[DONE\]|data: \{"error":/,
  },
  {
    path: "/v1/messages",
    body: (content: string) => ({
      model: "demo-chat",
      stream: true,
      max_tokens: 10_000,
      messages: [{ role: "user", content }],
    }),
    end: /event: (message_stop|error)/,
  },
  {
    path: "/v1/responses",
    body: (input: string) => ({ model: "demo-chat", stream: true, input }),
    end: /event: (response\.(completed|failed)|error)/,
  },
];

it("paused node: ends its streams with an error in the client's dialect, and the ledger is consistent", async () => {
  await paused.api("POST", "/channel", {
    type: 900,
    name: "demo",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const { key } = await paused.api<{ key: string }>("POST", "/token", { name: "t" });
  const streams = dialects.map(async ({ path, body }) => {
    const response = await fetch(`${paused.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body("[[length=100]] [[chunk-delay=60]]")),
    });
    expect(response.status).toBe(200);
    return response.text();
  });
  await sleep(2_000);
  paused.process.kill("SIGSTOP");
  await sleep(36_000);
  paused.process.kill("SIGCONT");
  const texts = await Promise.all(streams);
  for (const [index, { path, end }] of dialects.entries()) expect(texts[index], path).toMatch(end);
  // The node serves calls again.
  await expect
    .poll(
      async () => {
        const response = await fetch(`${paused.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
        });
        await response.text();
        return response.status;
      },
      { timeout: 20_000 },
    )
    .toBe(200);
  const wrong = (await audit(database.pool)).rows.filter(({ what }) => !/reserved|leased/.test(what));
  expect(wrong).toEqual([]);
}, 150_000);
