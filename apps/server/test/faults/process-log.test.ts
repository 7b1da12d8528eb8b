import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DemoUpstream, startDemoUpstream } from "@gateway/demo/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";
import { testSecretKey } from "#test/gateway.ts";

/** The log of a process at its most verbose level: calls, and requests that Node cannot parse. */
let gateway: GatewayProcess;
let upstream: DemoUpstream;
let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  upstream = await startDemoUpstream();
  database = await installedDatabase();
  folder = await mkdtemp(join(tmpdir(), "gateway-log-"));
  gateway = await startGatewayProcess({
    NODE_ENV: "production",
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRET_KEY: testSecretKey,
    LOG_LEVEL: "trace",
    DRAIN_SECONDS: "0",
  });
});
afterAll(async () => {
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  await upstream.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function send(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.on("close", () => resolve(answer));
    socket.write(text);
  });
}

const secret = "sk-secret-of-a-caller";
const named = `host: x\r\nauthorization: Bearer ${secret}\r\ncookie: session=${secret}`;

describe("malformed requests: the log at trace", () => {
  it.each([
    ["a header without a colon", `POST /v1/x HTTP/1.1\r\n${named}\r\nbad header\r\n\r\n${secret}`],
    [
      "two lengths",
      `POST /v1/x HTTP/1.1\r\n${named}\r\ncontent-length: 9\r\ncontent-length: 8\r\n\r\n${secret}`,
    ],
    ["a bad chunk", `POST /v1/x HTTP/1.1\r\n${named}\r\ntransfer-encoding: chunked\r\n\r\n${secret}\r\n`],
    ["headers that are too large", `GET /v1/x HTTP/1.1\r\n${named}\r\nx: ${secret.repeat(5_000)}\r\n\r\n`],
    ["no HTTP", `${secret} ${secret}\r\n\r\n`],
  ])("contains no headers or body after %s", async (_, text) => {
    expect(await send(text)).toMatch(/^HTTP\/1.1 4\d\d /);
    // A valid request is logged, so the log can be read up to it.
    const before = gateway.log.length;
    await fetch(`${gateway.url}/v1/models`);
    await expect.poll(() => gateway.log.length).toBeGreaterThan(before);
    const log = gateway.log.join("\n");
    const bytes = JSON.stringify([...Buffer.from(secret)]).slice(1, -1);
    for (const spelling of [secret, bytes, Buffer.from(secret).toString("base64").slice(0, 24)])
      expect(log.replaceAll(/\s/g, "")).not.toContain(spelling);
  });
});

describe("a call", () => {
  it("has exactly one line in the access log, without its key and content", async () => {
    await gateway.api("POST", "/channel", {
      type: 8,
      name: "first",
      base_url: upstream.url,
      key: "provider-key",
      models: ["demo-chat"],
      groups: ["default"],
    });
    const { key } = await gateway.api<{ key: string }>("POST", "/token", {
      name: "t",
      unlimited_quota: true,
    });
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
});
