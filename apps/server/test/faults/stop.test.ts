import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, killNodes, startGatewayProcess } from "#test/gateway-process.ts";

/** What clients see of a planned stop, in every dialect. */
let place: TestDatabase;
let database: Database;
let dataDir: string;
const started: GatewayProcess[] = [];

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 4 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-stop-"));
});
afterAll(async () => {
  await killNodes(...started);
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const MODELS = ["demo-chat"];

async function start(env: { DRAIN_SECONDS?: string; STOP_SECONDS?: string } = {}) {
  const gateway = await startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: dataDir, ...env });
  started.push(gateway);
  if ((await database.db.channel.count()) === 0)
    await gateway.api("POST", "/channel", { type: 900, name: "demo", models: MODELS, groups: ["default"] });
  const name = `stop ${performance.now()}`;
  const { key } = await gateway.api<{ key: string }>("POST", "/token", { name });
  return { gateway, key };
}

interface Shape {
  path: (stream: boolean) => string;
  body: (text: string, stream: boolean) => object;
  /** The error in a response that has begun, and in one that has not. */
  error: RegExp;
}

const user = (content: string) => [{ role: "user", content }];
const chat = (path: string, error: RegExp): Shape => ({
  path: () => path,
  body: (text, stream) => ({ model: "demo-chat", max_tokens: 20_000, stream, messages: user(text) }),
  error,
});

const shapes: Record<string, Shape> = {
  "openai-chat": chat("/v1/chat/completions", /"error":\{.*"code":"shutting_down"/s),
  anthropic: chat("/v1/messages", /"type":"error","error":\{"type":"(?:api|overloaded)_error"/s),
  "openai-responses": {
    path: () => "/v1/responses",
    body: (input, stream) => ({ model: "demo-chat", stream, input, store: false }),
    error: /"code":"shutting_down"/,
  },
  gemini: {
    path: (stream) =>
      `/v1beta/models/demo-chat:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (text) => ({ contents: [{ role: "user", parts: [{ text }] }] }),
    error: /"error":\{"code":503.*"status":"UNAVAILABLE"/s,
  },
  completions: {
    path: () => "/v1/completions",
    body: (prompt, stream) => ({ model: "demo-chat", stream, max_tokens: 20_000, prompt }),
    error: /"error":\{.*"code":"shutting_down"/s,
  },
};

interface Reply {
  status: number;
  retryAfter: string | undefined;
  connection: string | undefined;
  text: string;
  /** The client's port identifies the connection. */
  port: number | undefined;
}

/** Sends a call. Rejects with the error of the socket, with `reused`: whether its connection was used before. */
function send(
  { url }: GatewayProcess,
  path: string,
  key: string,
  body: object | undefined,
  agent: Agent | undefined,
  onChunk: () => void = () => undefined,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      {
        method: body === undefined ? "GET" : "POST",
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          "x-goog-api-key": key,
          "x-api-key": key,
          "content-type": "application/json",
        },
      },
      (response) => {
        let text = "";
        const port = sent.socket?.localPort;
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          onChunk();
        });
        response.on("error", fail).on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers["retry-after"],
            connection: response.headers.connection,
            text,
            port,
          }),
        );
      },
    );
    const fail = (error: Error) => reject(Object.assign(error, { reused: sent.reusedSocket }));
    sent.on("error", fail).end(body === undefined ? "" : JSON.stringify(body));
  });
}

/**
 * Waits until the port refuses connections. Looks rarely: a node that gets requests without a pause keeps its port
 * open for longer.
 */
const untilClosed = ({ url }: GatewayProcess) =>
  expect
    .poll(
      () =>
        fetch(`${url}/api/health`, { headers: { connection: "close" } }).then(
          () => "open",
          () => "closed",
        ),
      { interval: 400 },
    )
    .toBe("closed");

describe("a stopping node", () => {
  it("loses no call on a connection that is in use, in any dialect", { tags: "nightly" }, async () => {
    const { gateway, key } = await start();
    // A call that is open for longer than all others keeps the node alive.
    const long = shapes["openai-chat"];
    let begun = false;
    const open = send(
      gateway,
      long?.path(true) ?? "",
      key,
      long?.body("[[length=60]] [[chunk-delay=30]]", true),
      undefined,
      () => (begun = true),
    );
    await expect.poll(() => begun).toBe(true);
    const lost: string[] = [];
    const last: Reply[] = [];
    let served = 0;
    const paths = [...Object.values(shapes), undefined];
    const clients = paths
      .flatMap((shape) => [shape, shape])
      .map(async (shape) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let count = 0; count < 1_000; count += 1) {
          const path = shape?.path(false) ?? "/api/status";
          try {
            const reply = await send(gateway, path, key, shape?.body("[[length=3]]", false), agent);
            if (reply.status === 200) served += 1;
            else if (reply.retryAfter === undefined) lost.push(`${path} ${reply.status} ${reply.text}`);
            if (reply.connection === "close") last.push(reply);
          } catch (error) {
            const { code, reused } = error as { code?: string; reused: boolean };
            // A closed port: the client knows that nothing was received.
            if (code !== "ECONNREFUSED" || reused) lost.push(`${path} ${code} reused: ${reused}`);
            break;
          }
        }
        agent.destroy();
      });
    await expect.poll(() => served).toBeGreaterThan(50);
    gateway.process.kill("SIGTERM");
    await Promise.all(clients);
    expect(lost).toEqual([]);
    // Each of these connections was closed by a response that said so.
    expect(last.length).toBeGreaterThanOrEqual(clients.length);
    expect((await open).text).toContain("[DONE]");
    expect(await gateway.ended).toBe(0);
  });

  it("serves calls on a connection whose stream began before the signal", { tags: "nightly" }, async () => {
    const { gateway, key } = await start();
    const shape = shapes["anthropic"];
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let begun = false;
    // Longer than the node takes to close its port on a busy machine: the connection must be in use at that moment.
    const stream = send(
      gateway,
      "/v1/messages",
      key,
      shape?.body("[[length=80]] [[chunk-delay=100]]", true),
      agent,
      () => (begun = true),
    );
    let isOver = false;
    void stream.then(() => (isOver = true));
    const next = send(gateway, "/v1/messages", key, shape?.body("[[length=3]]", false), agent);
    await expect.poll(() => begun).toBe(true);
    gateway.process.kill("SIGTERM");
    await untilClosed(gateway);
    expect(isOver, "the stream is open when the port closes").toBe(false);
    const { text, port } = await stream;
    expect(text).toContain("message_stop");
    expect(await next).toMatchObject({ status: 200, connection: "close", port });
    agent.destroy();
    expect(await gateway.ended).toBe(0);
  });

  it("ends what is open after STOP_SECONDS with an error in its dialect, and the outcome interrupted", async () => {
    const { gateway, key } = await start({ STOP_SECONDS: "1" });
    let begun = 0;
    const all = Object.entries(shapes);
    const streams = all.map(([id, shape]) => {
      let isFirst = true;
      return send(
        gateway,
        shape.path(true),
        key,
        shape.body(`[[length=2000]] [[chunk-delay=50]] ${id}`, true),
        undefined,
        () => {
          if (isFirst) begun += 1;
          isFirst = false;
        },
      );
    });
    const whole = all.map(([, shape]) =>
      send(gateway, shape.path(false), key, shape.body("[[length=3]] [[delay=30000]]", false), undefined),
    );
    await expect.poll(() => begun).toBe(all.length);
    await expect.poll(() => database.db.reservation.count()).toBeGreaterThanOrEqual(2 * all.length);
    gateway.process.kill("SIGTERM");
    for (const [index, [id, { error }]] of all.entries()) {
      const streamed = await streams[index];
      expect([id, streamed?.status]).toEqual([id, 200]);
      expect(streamed?.text.slice(-600)).toMatch(error);
      const reply = await whole[index];
      expect([id, reply?.status, reply?.retryAfter]).toEqual([id, 503, "1"]);
      expect(reply?.text).toMatch(error);
    }
    expect(await gateway.ended).toBe(0);
    const { rows } = await database.pool.query<{ outcome: string; is_stream: boolean; quota: bigint }>(
      "SELECT outcome, is_stream, quota FROM request_logs WHERE error_code = 'shutting_down'",
    );
    const reported = (outcome: string) => rows.filter((row) => row.outcome === outcome);
    expect(reported("interrupted").map((row) => row.is_stream)).toEqual(all.map(() => true));
    for (const row of reported("interrupted")) expect(row.quota).toBeGreaterThan(0n);
    expect(reported("failed").map((row) => row.quota)).toEqual(all.map(() => 0n));
    expect(rows.length).toBe(2 * all.length);
    expect((await audit(database.pool)).drift).toBe(0n);
  });
});
