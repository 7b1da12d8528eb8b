import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoUpstream } from "@gateway/demo/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

let gateway: GatewayProcess;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const upstream = await startDemoUpstream();
  const database = await installedDatabase();
  const folder = await mkdtemp(join(tmpdir(), "gateway-access-log-"));
  gateway = await startGatewayProcess({
    NODE_ENV: "production",
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRET_KEY: "a secret of the access log's test, long",
    DRAIN_SECONDS: "0",
  });
  closing.push(
    () => upstream.close(),
    () => database.drop(),
    () => rm(folder, { recursive: true, force: true }),
  );
  await gateway.api("POST", "/channel", {
    type: 8,
    name: "first",
    base_url: upstream.url,
    key: "provider-key",
    models: ["demo-chat"],
    groups: ["default"],
  });
});

afterAll(async () => {
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  for (const close of closing) await close();
});

it("a call has exactly one line in the access log, without its key and content", async () => {
  const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t", unlimited_quota: true });
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-request-id": "from-the-client",
    },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "my-question" }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  // Stopping writes what waits.
  gateway.process.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
  const lines = gateway.log.filter((line) => line.includes('"msg":"call"'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    reqId: answer.headers.get("x-oneapi-request-id"),
    clientReqId: "from-the-client",
    endpoint: "/v1/chat/completions",
    status: 200,
    outcome: "complete",
    model: "demo-chat",
    channel: "first",
    attempts: 1,
    stream: false,
  });
  expect(lines[0]).not.toContain("my-question");
  expect(gateway.log.join("\n")).not.toContain(key);
});
