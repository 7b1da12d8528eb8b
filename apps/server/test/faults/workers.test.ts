import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UserGroupPage } from "@gateway/shared/channels/group";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/** Several workers on one port, as WORKERS starts them. */
let place: TestDatabase;
let database: Database;
let dataDir: string;
let gateway: GatewayProcess;
/** Workers that the current gateway has started. */
let starts = 2;

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 4 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-workers-"));
});
afterAll(async () => {
  if (gateway.process.exitCode === null) gateway.process.kill("SIGKILL");
  await gateway.ended;
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(more: { STOP_SECONDS?: string } = {}): Promise<GatewayProcess> {
  gateway = await startGatewayProcess({
    DATABASE_URL: place.url,
    DATA_DIR: dataDir,
    WORKERS: "2",
    API_RATE_LIMIT: "100000",
    ...more,
  });
  starts = 2;
  return gateway;
}

async function prepare(): Promise<string> {
  if ((await database.db.channel.count()) === 0)
    await gateway.api("POST", "/channel", {
      type: 900,
      name: "demo",
      models: ["demo-chat"],
      groups: ["default"],
    });
  return (await gateway.api<{ key: string }>("POST", "/token", { name: "t" })).key;
}

/** Process ids of the workers. */
function workers(): number[] {
  const { pid } = gateway.process;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
}

/** Makes a call on its own connection, because the system distributes connections over the workers. */
async function call(
  key: string,
  content = "Hi",
  onData: () => void = () => {},
): Promise<{ status: number; body: string }> {
  const agent = new Agent();
  try {
    return await new Promise((resolve, reject) => {
      const sent = request(
        `${gateway.url}/v1/chat/completions`,
        {
          method: "POST",
          agent,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        },
        (response) => {
          let body = "";
          response.on("data", (chunk: Buffer) => {
            body += chunk.toString();
            onData();
          });
          response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
          response.once("error", reject);
        },
      );
      sent.once("error", reject);
      sent.end(
        JSON.stringify({
          model: "demo-chat",
          stream: content !== "Hi",
          messages: [{ role: "user", content }],
        }),
      );
    });
  } finally {
    agent.destroy();
  }
}

async function callsInMetrics(): Promise<number> {
  const response = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: "Bearer root-access-token-of-a-process-of-its-own-012", connection: "close" },
  });
  expect(response.status).toBe(200);
  const text = await response.text();
  return Number(/^gateway_calls_total\{[^}]*status="200"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

async function allow(perMinute: number): Promise<void> {
  const { data } = await gateway.api<z.infer<typeof UserGroupPage>>("GET", "/user_group");
  for (const group of data) await gateway.api("PUT", `/user_group/${group.id}`, { api_rate: perMinute });
}

const drift = async () => (await audit(database.pool)).drift;

/** Waits until another worker serves in place of the killed one. */
async function replaced(killed: number): Promise<void> {
  const others = () => workers().filter((pid) => pid !== killed);
  await expect.poll(others, { timeout: 50_000, interval: 50 }).toHaveLength(2);
  const bound = () => gateway.log.filter((line) => line.includes("Bound to")).length;
  starts += 1;
  await expect.poll(bound, { timeout: 50_000, interval: 50 }).toBe(starts);
}

/** Starts streams of this many words, and waits until each has sent some. Returns their bodies. */
async function streamsOf(key: string, count: number, words: number): Promise<Promise<string>[]> {
  const begun = new Set<number>();
  const streams = Array.from({ length: count }, (_, index) =>
    call(key, `[[length=${words}]] [[chunk-delay=30]]`, () => begun.add(index)).then(
      ({ body }) => body,
      () => "cut",
    ),
  );
  await expect.poll(() => begun.size, { interval: 10 }).toBe(count);
  return streams;
}

describe("two workers", () => {
  let key: string;
  beforeAll(async () => {
    await start();
    key = await prepare();
  }, 120_000);

  it("share one limit without Redis: a client gets all of it, but not twice", async () => {
    await allow(20);
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, () => call(key)));
    // The limit grows again by one request in three seconds.
    const regained = Math.ceil((performance.now() - begun) / 3_000);
    await allow(1_000_000);
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(20);
    expect(served).toBeLessThanOrEqual(20 + regained);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - served);
    expect(gateway.log.join("\n")).not.toContain("REDIS_URL is not set");
  });

  it("serve calls on one port, as two nodes, and each returns the sum of both in the metrics", async () => {
    expect(workers()).toHaveLength(2);
    expect(await database.db.node.count()).toBe(2);
    const before = await callsInMetrics();
    await expect.poll(async () => (await call(key)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(key)));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    // Any worker returns the same sum.
    for (let look = 0; look < 4; look += 1) expect(await callsInMetrics()).toBe(before + 41);
    const lines = await gateway.api<{ Message: string }[]>("POST", "/system_info/log", { count: 500 });
    expect(lines.filter(({ Message }) => Message.startsWith("Bound to"))).toHaveLength(2);
    expect(await drift()).toBe(0n);
  });

  it("apply changes made through either of them immediately", async () => {
    for (let round = 0; round < 6; round += 1) {
      const { key: own, id } = await gateway.api<{ key: string; id: number }>("POST", "/token", {
        name: "t",
      });
      expect((await Promise.all([call(own), call(own)])).map(({ status }) => status)).toEqual([200, 200]);
      await gateway.api("PATCH", `/token/${id}`, { status: 2 });
      expect((await Promise.all([call(own), call(own)])).map(({ status }) => status)).toEqual([401, 401]);
    }
  });

  it("end a second gateway with an error message when its port is in use", async () => {
    const taken = new URL(gateway.url).port;
    await expect(
      startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: dataDir, WORKERS: "2", PORT: taken }),
    ).rejects.toThrow("did not start");
  }, 120_000);

  it("let calls finish when the gateway is stopped", async () => {
    const streams = await streamsOf(key, 4, 60);
    gateway.process.kill("SIGTERM");
    for (const body of await Promise.all(streams)) expect(body).toContain("[DONE]");
    expect(await gateway.ended).toBe(0);
    expect(await database.db.reservation.count()).toBe(0);
    expect(await database.db.node.count()).toBe(0);
    expect(await drift()).toBe(0n);
  }, 120_000);
});

describe("two workers with a time limit for their end", () => {
  let key: string;
  beforeAll(async () => {
    await start({ STOP_SECONDS: "1" });
    key = await prepare();
    await allow(1_000_000);
  }, 120_000);

  it(
    "continue when one of them is killed and replaced; the ledger is consistent",
    { tags: "nightly", timeout: 180_000 },
    async () => {
      const [victim = 0] = workers();
      const ending = new AbortController();
      const outcomes: string[] = [];
      const client = async () => {
        while (!ending.signal.aborted)
          outcomes.push(
            await call(key).then(
              ({ status }) => `${status}`,
              () => "cut",
            ),
          );
      };
      const clients = [client(), client(), client(), client()];
      const served = () => outcomes.filter((outcome) => outcome === "200").length;
      await expect.poll(served).toBeGreaterThan(10);
      process.kill(victim, "SIGKILL");
      await replaced(victim);
      const before = served();
      await expect.poll(served).toBeGreaterThan(before + 10);
      ending.abort();
      await Promise.all(clients);
      expect(gateway.log.join("\n")).toContain("ended with SIGKILL");
      // Only calls that were open on the killed worker, or waited for it, are cut. Every other call is served.
      expect(outcomes.filter((outcome) => outcome !== "200" && outcome !== "cut")).toEqual([]);
      expect(outcomes.filter((outcome) => outcome === "cut").length).toBeLessThan(served());
      const counted = await callsInMetrics();
      expect(counted).toBeGreaterThan(0);
      // The sum does not decrease when a worker that was already counted is replaced.
      const [next = 0] = workers();
      process.kill(next, "SIGKILL");
      await replaced(next);
      expect(await callsInMetrics()).toBeGreaterThanOrEqual(counted);
      const found = (await audit(database.pool)).rows.filter(({ what }) => !what.endsWith("reserved"));
      expect(found).toEqual([]);
    },
  );

  it("abort calls after STOP_SECONDS, bill what was sent, and end", async () => {
    // What the killed workers have reserved stays until a node has waited for them for half a minute.
    const abandoned = await database.db.reservation.count();
    const streams = await streamsOf(key, 2, 1_000_000);
    gateway.process.kill("SIGTERM");
    for (const body of await Promise.all(streams)) expect(body).not.toContain("[DONE]");
    expect(await gateway.ended).toBe(0);
    expect(await database.db.reservation.count()).toBeLessThanOrEqual(abandoned);
    const wrong = (await audit(database.pool)).rows.filter(({ what }) => !/reserved|leased/.test(what));
    expect(wrong).toEqual([]);
  }, 120_000);
});
