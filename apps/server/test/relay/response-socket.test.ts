import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Responses over WebSocket, as Codex sends them, with every kind of upstream. */
let gateway: TestGateway;
let key: string;
let tokenId: number;
const open: WebSocket[] = [];
const upstreams = { native: 900, responses: 1, chat: 8, anthropic: 14, gemini: 25 };

beforeAll(async () => {
  gateway = await startTestGateway();
  // The tests open more connections per minute than an account may by default.
  for (const [name, type] of Object.entries(upstreams)) {
    await gateway.addChannel({ type, name, models: [name], model_mapping: { [name]: "demo-chat" } });
  }
  await gateway.api("PUT", "/option", { key: "RetryTimes", value: 0 });
});
beforeEach(async () => {
  ({ key, id: tokenId } = await gateway.addToken());
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  gateway.upstream.control.reset();
  await settled();
});
afterAll(() => gateway.stop());

async function settled(): Promise<void> {
  await expect.poll(() => gateway.database.db.reservation.count(), { interval: 20 }).toBe(0);
  expect(await gateway.drift()).toBe(0n);
}

interface Event {
  type: string;
  status?: number;
  error?: { code: string; message: string; type: string };
  response?: {
    id: string;
    status: string;
    output: { content?: { text: string }[] }[];
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

interface Client {
  socket: WebSocket;
  events: Event[];
  send(fields: object): void;
  /** Returns the events after the last awaited one, up to and including one of these types. */
  until(...types: string[]): Promise<Event[]>;
}

const ends = ["response.completed", "response.incomplete", "response.failed", "error"];

async function connect(from = gateway, apiKey = key, headers = {}): Promise<Client> {
  const socket = new WebSocket(`${from.url.replace("http", "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  });
  open.push(socket);
  const events: Event[] = [];
  let seen = 0;
  socket.on("message", (data: Buffer) => events.push(JSON.parse(data.toString()) as Event));
  socket.on("error", () => {});
  await once(socket, "open");
  return {
    socket,
    events,
    send: (fields) => socket.send(JSON.stringify({ type: "response.create", ...fields })),
    async until(...types) {
      const from = seen;
      const place = () => events.findIndex((event, index) => index >= from && types.includes(event.type));
      await expect.poll(place, { timeout: 15_000, interval: 5 }).toBeGreaterThanOrEqual(0);
      seen = place() + 1;
      return events.slice(from, seen);
    },
  };
}

const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const ask = (model: string, text: string) => ({ model, store: false, input: [user(text)] });

async function refused(
  headers: Record<string, string> = { authorization: `Bearer ${key}` },
): Promise<number> {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/v1/responses`, { headers });
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
  socket.terminate();
  return response.statusCode;
}

/** Opens a connection. Resolves to whether it was accepted. */
function isOpened(): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/v1/responses`, { headers });
  open.push(socket);
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.on("open", () => resolve(true));
    socket.on("unexpected-response", () => resolve(false));
  });
}

/** Requests made meanwhile wait for the same reading of their key, and go on in the same turn of the event loop. */
async function whileKeysWait<T>(work: () => T): Promise<Awaited<T>> {
  const locker = await gateway.database.pool.connect();
  await locker.query("BEGIN; LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE");
  try {
    const made = await work();
    await sleep(300);
    return made;
  } finally {
    await locker.query("COMMIT");
    locker.release();
  }
}

const rows = async () => (await gateway.logs(0)).filter((row) => row.token_id === tokenId);

describe.each(Object.keys(upstreams))("responses over WebSocket with an upstream of %s", (model) => {
  it("streams events, charges once per response, and continues without stored responses", async () => {
    const client = await connect();
    client.send({ ...ask(model, "My name is Ada. [[say=Hello Ada]]"), instructions: "Be brief." });
    const first = await client.until(...ends);
    expect(first[0]?.type).toBe("response.created");
    expect(first.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } });
    const id = first.at(-1)!.response!.id;
    expect(first.map(({ type }) => type)).toContain("response.output_text.delta");
    client.send({ ...ask(model, "And again."), previous_response_id: id });
    const second = (await client.until(...ends)).at(-1);
    expect(second).toMatchObject({ type: "response.completed", response: { previous_response_id: id } });
    const sent = JSON.stringify(gateway.upstream.calls().at(-1)?.body);
    // Providers with WebSockets have the earlier response themselves.
    if (model !== "native" && model !== "responses") {
      expect(sent).toContain("My name is Ada");
      expect(sent).toContain("And again.");
      expect(sent).not.toContain('previous_response_id":"');
    }
    await settled();
    const logged = await rows();
    expect(logged.map((row) => row.endpoint)).toEqual(["/v1/responses", "/v1/responses"]);
    expect(new Set(logged.map((row) => row.request_id)).size).toBe(2);
    expect(logged.every((row) => row.quota > 0)).toBe(true);
    expect(await gateway.database.db.storedResponse.count()).toBe(0);
  });
});

describe("responses over WebSocket", () => {
  it("support a warm-up without a call, and continue from it", async () => {
    const client = await connect();
    client.send({ ...ask("chat", "The code word is swordfish."), generate: false });
    const warm = await client.until(...ends);
    expect(warm.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
    expect(warm.at(-1)?.response?.output).toEqual([]);
    expect(gateway.upstream.calls()).toEqual([]);
    client.send({ ...ask("chat", "Say it."), previous_response_id: warm.at(-1)?.response?.id });
    expect((await client.until(...ends)).at(-1)?.type).toBe("response.completed");
    expect(JSON.stringify(gateway.upstream.calls().at(-1)?.body)).toContain("swordfish");
    await settled();
    expect(await rows()).toHaveLength(1);
  });

  it("run concurrently on separate connections", async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => connect()));
    for (const client of clients) client.send(ask("chat", "Hi [[length=20]]"));
    const done = await Promise.all(clients.map((client) => client.until(...ends)));
    expect(done.map((events) => events.at(-1)?.type)).toEqual(Array(4).fill("response.completed"));
    await settled();
    expect(await rows()).toHaveLength(4);
  });

  it("report an invalid event and continue", async () => {
    const client = await connect();
    const wrong: [string | Buffer, string][] = [
      ["{", "invalid_request"],
      ["[]", "invalid_request"],
      [Buffer.from("{}"), "invalid_request"],
      ['{"type":"response.explode"}', "invalid_request"],
      ['{"type":"response.create","input":"Hi"}', "invalid_request"],
      ['{"type":"response.create","model":"chat","input":7}', "invalid_request"],
      ['{"type":"response.create","model":"chat","input":"Hi","background":true}', "invalid_request"],
      ['{"type":"response.create","model":"chat","input":"Hi","stream_id":"a"}', "invalid_request"],
      ['{"type":"response.create","model":"none","input":"Hi"}', "model_not_found"],
      [
        '{"type":"response.create","model":"chat","input":"Hi","previous_response_id":"resp_x","store":false}',
        "previous_response_not_found",
      ],
    ];
    for (const [message, code] of wrong) {
      client.socket.send(message);
      const [event] = (await client.until("error")).slice(-1);
      expect(event, String(message)).toMatchObject({ type: "error", error: { code } });
      expect(event?.status).toBe(code === "model_not_found" ? 404 : 400);
      expect(event?.error?.message).toBeTruthy();
    }
    client.send(ask("chat", "Hi"));
    expect((await client.until(...ends)).at(-1)?.type).toBe("response.completed");
  });

  it("reject a second response while one is in progress, and complete the first", async () => {
    const client = await connect();
    client.send(ask("chat", "Hi [[length=30]] [[chunk-delay=20]]"));
    await client.until("response.output_text.delta");
    client.send(ask("chat", "Another"));
    expect((await client.until("error")).at(-1)?.error?.message).toContain("in progress");
    await client.until("response.completed");
    await settled();
    expect(await rows()).toHaveLength(1);
  });

  it("close the connection after a message that is too large, with the reason", async () => {
    const client = await connect();
    const closed = once(client.socket, "close");
    client.socket.send(Buffer.alloc(20 * 1024 * 1024, 65), { binary: false }, () => {});
    expect((await closed)[0]).toBe(1009);
    expect(client.events).toMatchObject([{ type: "error", status: 413, error: { code: "body_too_large" } }]);
  });

  it("accept a session id of any length without changing the call", async () => {
    const client = await connect(gateway, key, { session_id: "x".repeat(10_240) });
    client.send({ ...ask("chat", "Hi"), prompt_cache_key: "y".repeat(10_240) });
    const event = (await client.until(...ends)).at(-1);
    expect(["response.completed", "error"]).toContain(event?.type);
  });

  it("report an upstream that fails before or during a response", async () => {
    const client = await connect();
    client.send(ask("chat", "Hi [[status=503]]"));
    expect((await client.until(...ends)).at(-1)).toMatchObject({ type: "error", status: 503 });
    client.send(ask("chat", "Hi [[cut=3]] [[length=20]]"));
    const broken = (await client.until(...ends)).at(-1);
    expect(broken).toMatchObject({ type: "error", status: 502, error: { code: "upstream_failed" } });
    client.send(ask("chat", "Hi"));
    expect((await client.until(...ends)).at(-1)?.type).toBe("response.completed");
  });

  it("settle the response of a client that disconnects", async () => {
    const client = await connect();
    client.send(ask("chat", "Hi [[length=200]] [[chunk-delay=20]]"));
    await client.until("response.output_text.delta");
    client.socket.terminate();
    await settled();
    await expect.poll(async () => (await rows())[0]?.outcome).toBe("client-left");
  });

  it("end when the key is disabled, when the connection is idle, and after the response when the node stops", async () => {
    const disabled = await connect();
    const gone = once(disabled.socket, "close");
    await gateway.api("DELETE", `/token/${tokenId}`);
    expect((await gone)[0]).toBe(1008);
    ({ key, id: tokenId } = await gateway.addToken());
    await gateway.api("PUT", "/option", { key: "RealtimeIdleSeconds", value: 1 });
    const silent = await connect();
    const idle = once(silent.socket, "close");
    expect((await idle)[0]).toBe(1000);
    expect(silent.events.at(-1)?.error?.message).toContain("within 1 s");
    await gateway.api("PUT", "/option", { key: "RealtimeIdleSeconds", value: 300 });
    const other = await startTestGateway({}, gateway);
    const client = await connect(other);
    const quiet = await connect(other);
    const quietClosed = once(quiet.socket, "close");
    client.send(ask("chat", "Hi [[length=40]] [[chunk-delay=20]]"));
    await client.until("response.output_text.delta");
    const closed = once(client.socket, "close");
    const [events] = await Promise.all([client.until("response.completed"), other.stop()]);
    expect(events.at(-1)?.response?.status).toBe("completed");
    expect((await closed)[0]).toBe(1001);
    expect((await quietClosed)[0]).toBe(1001);
  });

  it("are rejected before the upgrade: no key, disabled, too many connections", async () => {
    expect(await refused({})).toBe(401);
    const plain = await fetch(`${gateway.url}/v1/responses`, { headers: { authorization: `Bearer ${key}` } });
    expect(plain.status).toBe(426);
    await gateway.api("PUT", "/option", { key: "ResponsesWebSocketEnabled", value: false });
    expect(await refused()).toBe(426);
    await gateway.api("PUT", "/option", { key: "ResponsesWebSocketEnabled", value: true });
    await Promise.all(Array.from({ length: 64 }, () => connect()));
    expect(await refused()).toBe(429);
    open.splice(0).forEach((socket) => socket.close());
    await expect
      .poll(async () => {
        const client = await connect().catch(() => undefined);
        return client?.socket.readyState;
      })
      .toBe(WebSocket.OPEN);
  });

  it("are at most 64 of an account, although more are opened at the same time", async () => {
    const opened = await whileKeysWait(() => Array.from({ length: 90 }, isOpened));
    expect((await Promise.all(opened)).filter(Boolean)).toHaveLength(64);
  });

  it("take no place of an account when their client leaves before they are open", async () => {
    await whileKeysWait(async () => {
      for (let count = 0; count < 64; count += 1) void isOpened();
      await sleep(300);
      for (const socket of open.splice(0)) socket.terminate();
    });
    const opened = () => Promise.all(Array.from({ length: 64 }, isOpened));
    await expect
      .poll(async () => {
        open.splice(0).forEach((socket) => socket.terminate());
        return (await opened()).filter(Boolean).length;
      })
      .toBe(64);
  });

  it("end a session of Codex at once when it may not go on", async () => {
    const client = await connect(gateway, key, {
      originator: "codex_exec",
      session_id: "s",
      "x-session-budget": "0",
    });
    client.send(ask("chat", "Hi"));
    expect((await client.until(...ends)).at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "invalid_prompt" } },
    });
    expect(gateway.upstream.calls()).toEqual([]);
  });

  it("return only an error to a client without a balance", async () => {
    const poor = await gateway.addToken({ name: "poor", unlimited_quota: false, remain_quota: 0 });
    const client = await connect(gateway, poor.key);
    client.send(ask("chat", "Hi"));
    expect((await client.until(...ends)).at(-1)).toMatchObject({ type: "error", status: expect.any(Number) });
    expect(gateway.upstream.calls()).toEqual([]);
  });
});
