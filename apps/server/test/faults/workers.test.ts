import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { UserGroupPage } from "@gateway/shared/channels/group";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { audit } from "#domain/ledger/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { installedDatabase, type TestDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/** Several workers on one port, as WORKERS starts them. */
let place: TestDatabase;
let database: Database;
let dataDir: string;
let gateway: GatewayProcess;

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 4 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-workers-"));
});
afterEach(() => {
  if (gateway.process.exitCode === null) gateway.process.kill("SIGKILL");
});
afterAll(async () => {
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
async function call(key: string, content = "Hi"): Promise<{ status: number; body: string }> {
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
  for (const group of data)
    await gateway.api("PUT", `/user_group/${group.id}`, { ...group, api_rate: perMinute });
}

const drift = async () => (await audit(database.pool)).drift;

async function stop(): Promise<void> {
  gateway.process.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
}

describe("two workers", () => {
  it("serve calls on one port, as two nodes, and each returns the sum of both in the metrics", async () => {
    await start();
    const key = await prepare();
    await allow(1_000_000);
    expect(workers()).toHaveLength(2);
    expect(await database.db.node.count()).toBe(2);
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(key)));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    // Any worker returns the same sum.
    for (let look = 0; look < 4; look += 1) expect(await callsInMetrics()).toBe(40);
    const lines = await gateway.api<{ Message: string }[]>("POST", "/system_info/log", { count: 500 });
    expect(lines.filter(({ Message }) => Message.startsWith("Bound to"))).toHaveLength(2);
    expect(await drift()).toBe(0n);
    await stop();
    expect(await database.db.node.count()).toBe(0);
  }, 120_000);

  it("share one limit without Redis: a client gets all of it, but not twice", async () => {
    await start();
    const key = await prepare();
    await allow(20);
    const answers = await Promise.all(Array.from({ length: 60 }, () => call(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect(gateway.log.join("\n")).not.toContain("REDIS_URL is not set");
    await allow(1_000_000);
    await stop();
  }, 120_000);

  it("apply changes made through either of them immediately", async () => {
    await start();
    await prepare();
    await allow(1_000_000);
    for (let round = 0; round < 10; round += 1) {
      const { key, id } = await gateway.api<{ key: string; id: number }>("POST", "/token", { name: "t" });
      expect((await Promise.all([call(key), call(key)])).map(({ status }) => status)).toEqual([200, 200]);
      await gateway.api("PATCH", `/token/${id}`, { status: 2 });
      expect((await Promise.all([call(key), call(key)])).map(({ status }) => status)).toEqual([401, 401]);
    }
    await stop();
  }, 120_000);

  it("let calls finish when the gateway is stopped", async () => {
    await start();
    const key = await prepare();
    const streams = Array.from({ length: 4 }, () => call(key, "[[length=60]] [[chunk-delay=30]]"));
    await sleep(700);
    gateway.process.kill("SIGTERM");
    for (const { status, body } of await Promise.all(streams)) {
      expect(status).toBe(200);
      expect(body).toContain("[DONE]");
    }
    expect(await gateway.ended).toBe(0);
    expect(await database.db.reservation.count()).toBe(0);
    expect(await drift()).toBe(0n);
  }, 120_000);

  it("abort calls after STOP_SECONDS, bill what was sent, and end", async () => {
    await start({ STOP_SECONDS: "2" });
    const key = await prepare();
    const streams = Array.from({ length: 2 }, () =>
      call(key, "[[length=6000]] [[chunk-delay=30]]").then(
        ({ body }) => body,
        () => "cut",
      ),
    );
    await sleep(700);
    const began = performance.now();
    gateway.process.kill("SIGTERM");
    for (const body of await Promise.all(streams)) expect(body).not.toContain("[DONE]");
    expect(await gateway.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await database.db.reservation.count()).toBe(0);
    expect(await drift()).toBe(0n);
  }, 120_000);

  it("end the gateway with an error message when the port is in use", async () => {
    const first = await start();
    const taken = Number(new URL(first.url).port);
    await expect(
      startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: dataDir, WORKERS: "2", PORT: String(taken) }),
    ).rejects.toThrow("did not start");
    gateway = first;
    await stop();
  }, 120_000);

  it("continue when one of them is killed and replaced; the ledger is consistent", async () => {
    await start();
    const key = await prepare();
    await allow(1_000_000);
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
    await sleep(500);
    process.kill(victim, "SIGKILL");
    await expect.poll(() => workers().filter((pid) => pid !== victim).length, { timeout: 30_000 }).toBe(2);
    await expect.poll(() => gateway.log.filter((line) => line.includes("Bound to")).length).toBe(3);
    const before = outcomes.length;
    await expect.poll(() => outcomes.length).toBeGreaterThan(before + 20);
    ending.abort();
    await Promise.all(clients);
    expect(gateway.log.join("\n")).toContain("ended with SIGKILL");
    // Only calls that were open on the killed worker.
    expect(outcomes.filter((outcome) => outcome !== "200" && outcome !== "cut")).toEqual([]);
    expect(outcomes.filter((outcome) => outcome === "cut").length).toBeLessThanOrEqual(8);
    const counted = await callsInMetrics();
    expect(counted).toBeGreaterThan(0);
    // The sum does not decrease when a worker that was already counted is replaced.
    const [next = 0] = workers();
    process.kill(next, "SIGKILL");
    await expect.poll(() => workers().filter((pid) => pid !== next).length, { timeout: 30_000 }).toBe(2);
    expect(await callsInMetrics()).toBeGreaterThanOrEqual(counted);
    const found = (await audit(database.pool)).rows.filter(({ what }) => !what.endsWith("reserved"));
    expect(found).toEqual([]);
    await stop();
  }, 180_000);
});
