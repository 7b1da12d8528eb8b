import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect } from "#platform/database/db.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/**
 * A gateway whose Postgres is stopped. Every endpoint returns 503 in its dialect, for cached and uncached
 * keys.
 */
let postgres: EmbeddedPostgres;
let dataDir: string;
let gateway: GatewayProcess;
let key: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "gateway-stopped-"));
  // Postgres may run as another user, who needs access to its folder.
  await chmod(dataDir, 0o755);
  postgres = await startPostgres();
  gateway = await startGatewayProcess({ DATABASE_URL: postgres.url, DATA_DIR: dataDir });
  await gateway.api("POST", "/channel", {
    type: 900,
    name: "demo",
    models: ["demo-chat", "demo-embedding"],
    groups: ["default"],
  });
  ({ key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" }));
}, 90_000);
afterAll(async () => {
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts Postgres on the same data and port each time. */
const startPostgres = () => startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });

const lines = (pattern: RegExp) => gateway.log.filter((line) => pattern.test(line));

const chat = { model: "demo-chat", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };

/** Endpoints that need the database, and the path of the error message in their dialect. */
const endpoints = [
  ["POST", "/v1/chat/completions", chat, "error.message"],
  ["POST", "/v1/chat/completions", { ...chat, stream: true }, "error.message"],
  ["POST", "/v1/messages", chat, "error.message"],
  [
    "POST",
    "/v1beta/models/demo-chat:generateContent",
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    "error.message",
  ],
  ["POST", "/v1/responses", { model: "demo-chat", input: "Hi" }, "error.message"],
  ["POST", "/v1/embeddings", { model: "demo-embedding", input: "Hi" }, "error.message"],
  ["GET", "/v1/responses/resp_1", undefined, "error.message"],
  ["POST", "/v1/conversations", {}, "error.message"],
  ["GET", "/v1/dashboard/billing/subscription", undefined, "error.message"],
  ["GET", "/suno/fetch/1", undefined, "message"],
  ["GET", "/mj/task/1/fetch", undefined, "description"],
] as const;

async function call(presented: string, method: string, path: string, body: unknown) {
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      authorization: `Bearer ${presented}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    text: await response.text(),
  };
}

describe("a gateway whose database is stopped", () => {
  it("returns 503 and Retry-After at every endpoint in its dialect", async () => {
    const served = await call(key, "POST", "/v1/chat/completions", chat);
    expect(served.status).toBe(200);
    await postgres.stop();
    for (const presented of [key, `sk-${"unknown0".repeat(6)}`]) {
      const answers = await Promise.all(
        endpoints.map(async ([method, path, body]) => call(presented, method, path, body)),
      );
      for (const [index, { status, retryAfter, text }] of answers.entries()) {
        const [method, path, , place] = endpoints[index]!;
        const at = `${method} ${path}: ${text.slice(0, 300)}`;
        expect(status, at).toBe(503);
        expect(Number(retryAfter), at).toBeGreaterThan(0);
        const sentence = place
          .split(".")
          .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], JSON.parse(text));
        expect(sentence, at).toContain("database");
      }
    }
    expect(gateway.process.exitCode).toBe(null);
    await expect.poll(() => lines(/The database is away since .+Z: /)).toHaveLength(1);
  }, 120_000);

  it("serves calls again when its database is back, and every balance is explained", async () => {
    postgres = await startPostgres();
    await expect
      .poll(async () => (await call(key, "POST", "/v1/chat/completions", chat)).status, { timeout: 50_000 })
      .toBe(200);
    const database = connect(postgres.url, { max: 1 });
    // A lease of the node may still be open.
    const wrong = (await audit(database.pool)).rows.filter(({ what }) => !/reserved|leased/.test(what));
    expect(wrong).toEqual([]);
    await database.close();
    await expect.poll(() => lines(/The database is back after \d+ s\./)).toHaveLength(1);
  }, 120_000);

  it("reports the outage in two lines, without the failures of background work and calls", () => {
    expect(lines(/The database is away/)).toHaveLength(1);
    expect(lines(/background work failed|call failed|request failed|^\s+at /)).toEqual([]);
  });
});
