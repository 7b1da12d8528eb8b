import { once } from "node:events";
import { createServer } from "node:http";
import { Agent } from "node:https";
import { connect, createServer as createTcpServer, type Server } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { TokenSetting } from "@gateway/shared/accounts/token";
import type { LogRow } from "@gateway/shared/usage/log";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import type { RealtimeServerEvent, SessionCreatedEvent } from "openai/resources/realtime/realtime";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/**
 * Realtime sessions with the official client: forwarded events, cost, and all ways in which a session can
 * end.
 */
let gateway: TestGateway;
/** Every test has its own token. */
let key: string;
let tokenId: number;
const open: WebSocket[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "voice", models: ["demo-realtime"] });
  await gateway.addChannel({
    type: 8,
    name: "mapped",
    models: ["voice-of-ours"],
    model_mapping: { "voice-of-ours": "demo-realtime" },
  });
  for (const model of ["demo-realtime", "voice-of-ours"])
    await gateway.addPrice(model, {
      output: 2,
      extra_ratios: { input_audio_tokens: 4, output_audio_tokens: 8 },
    });
  await gateway.addPrice("scribe", { output: 2 });
});
beforeEach(async () => {
  ({ id: tokenId, key } = await gateway.addToken());
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  gateway.upstream.control.reset();
  await settled();
});
afterAll(() => gateway.stop());

/** Waits until nothing is reserved. */
async function settled(): Promise<void> {
  await expect.poll(() => gateway.database.db.reservation.count(), { interval: 20 }).toBe(0);
}

/**
 * The client connects over TLS only. This agent connects without it, because the tested gateway has no TLS
 * proxy.
 */
class PlainAgent extends Agent {
  override createConnection(options: { host?: string; port?: number }) {
    return connect(options.port ?? 0, options.host);
  }
}

function clientOf(model: string, from: TestGateway, apiKey: string, headers = {}): OpenAIRealtimeWS {
  const options = { headers, agent: new PlainAgent() };
  const made = new OpenAIRealtimeWS({ model, options }, from.openai(apiKey));
  open.push(made.socket);
  made.on("error", () => {});
  const record = { events: [] as RealtimeServerEvent[], seen: 0 };
  received.set(made, record);
  made.on("event", (event) => record.events.push(event));
  return made;
}

type Session = OpenAIRealtimeWS & { created: SessionCreatedEvent };

/** Opens a session and waits for its first event. */
async function session(model = "demo-realtime", apiKey = key, headers = {}): Promise<Session> {
  return connected(clientOf(model, gateway, apiKey, headers));
}

async function connected(made: OpenAIRealtimeWS): Promise<Session> {
  const created = find(await until(made, "session.created"), "session.created");
  return Object.assign(made, { created });
}

/** All events of a client, and how many were waited for. Two events can arrive in one frame of data. */
const received = new WeakMap<OpenAIRealtimeWS, { events: RealtimeServerEvent[]; seen: number }>();

/** Returns the events after the last awaited one, up to and including one of this type. */
async function until(
  client: OpenAIRealtimeWS,
  type: RealtimeServerEvent["type"],
): Promise<RealtimeServerEvent[]> {
  const record = received.get(client)!;
  const from = record.seen;
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    const place = record.events.findIndex((event, index) => index >= from && event.type === type);
    if (place >= 0) {
      record.seen = Math.max(record.seen, place + 1);
      return record.events.slice(from, place + 1);
    }
    await sleep(5);
  }
  throw new Error(`No ${type} after ${record.events.map((event) => event.type).join(", ")}`);
}

function say(client: OpenAIRealtimeWS, text: string): void {
  const content = [{ type: "input_text" as const, text }];
  client.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
  client.send({ type: "response.create" });
}

function find<T extends RealtimeServerEvent["type"]>(events: RealtimeServerEvent[], type: T) {
  return events.find((event) => event.type === type) as Extract<RealtimeServerEvent, { type: T }>;
}

/**
 * Returns the log rows of this test's token. A session that the previous test closed can write its last row
 * late. Waits for at least `count` rows.
 */
async function rows(count: number, token = tokenId): Promise<LogRow[]> {
  const own = await gateway.logs(count, token);
  expect(own.length).toBeGreaterThanOrEqual(count);
  return own;
}

/** Returns the status and the error body of a rejected upgrade. */
async function refusal(path: string, headers: Record<string, string>) {
  const socket = new WebSocket(gateway.url.replace("http", "ws") + path, { headers });
  const [, response] = await once(socket, "unexpected-response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, error: JSON.parse(text).error };
}

describe("a realtime session", () => {
  it("generates speech, and charges every response by the provider's usage before it is done", async () => {
    const client = await session();
    expect(client.created.session).toMatchObject({ model: "demo-realtime" });
    say(client, "Say something kind");
    const events = await until(client, "response.done");
    const types = new Set(events.map((event) => event.type));
    expect(types).toContain("response.output_audio.delta");
    expect(types).toContain("response.output_audio_transcript.delta");
    const { response } = find(events, "response.done");
    // Already charged: the event that completes the response was sent after the bill.
    const [row] = await rows(1);
    expect(row).toMatchObject({
      model_name: "demo-realtime",
      prompt_tokens: response.usage?.input_tokens,
      completion_tokens: response.usage?.output_tokens,
      estimated: false,
      outcome: "complete",
      is_stream: true,
    });
    expect(row?.bill?.lines.map((line) => line.kind)).toContain("output_audio_tokens");
    client.close();
    await settled();
    // The session's own row: the reservation for a further response was released.
    const all = await rows(2);
    expect(all.find(({ id }) => id !== row?.id)).toMatchObject({ quota: 0, outcome: "complete" });
    expect(await gateway.drift()).toBe(0n);
  });

  it("calls functions, and accepts their results", async () => {
    const client = await session();
    client.send({
      type: "session.update",
      session: {
        type: "realtime",
        output_modalities: ["text"],
        tools: [{ type: "function", name: "get_weather", parameters: { type: "object", properties: {} } }],
      },
    });
    await until(client, "session.updated");
    say(client, "What is the weather in Paris?");
    const requested = find(await until(client, "response.done"), "response.done").response.output?.[0];
    expect(requested).toMatchObject({ type: "function_call", name: "get_weather" });
    const call_id = requested?.type === "function_call" ? (requested.call_id ?? "") : "";
    client.send({
      type: "conversation.item.create",
      item: { type: "function_call_output", call_id, output: "Sunny, 22 degrees" },
    });
    client.send({ type: "response.create" });
    const reported = await until(client, "response.done");
    expect(find(reported, "response.output_text.done").text).toContain("22 degrees");
  });

  it("receives audio, and charges the transcription at its own price", async () => {
    const client = await session();
    const input = { transcription: { model: "scribe" }, turn_detection: { type: "server_vad" as const } };
    client.send({ type: "session.update", session: { type: "realtime", audio: { input } } });
    await until(client, "session.updated");
    // The provider responds automatically after a second of audio.
    const second = Buffer.alloc(48_000).toString("base64");
    client.send({ type: "input_audio_buffer.append", audio: second });
    const { response } = find(await until(client, "response.done"), "response.done");
    expect(response.usage?.input_token_details?.audio_tokens).toBe(10);
    const charged = await rows(2);
    expect(charged.map((row) => row.model_name).toSorted()).toEqual(["demo-realtime", "scribe"]);
    const [answer] = charged.filter((row) => row.model_name === "demo-realtime");
    expect(answer?.bill?.lines.find((line) => line.kind === "input_audio_tokens")?.amount).toBe(10);
    expect(await gateway.drift()).toBe(0n);
  });

  it("rejects a transcription model that the key may not use, in either spelling, and continues", async () => {
    const limited = TokenSetting.parse({
      limits: { limit_model_setting: { enabled: true, models: ["demo-realtime", "allowed-*"] } },
    });
    const token = await gateway.addToken({ setting: limited });
    const client = await session("demo-realtime", token.key);
    const calls = gateway.upstream.calls().length;
    const newer = (model: string) => ({ audio: { input: { transcription: { model } } } });
    const older = (model: string) => ({ input_audio_transcription: { model } });
    for (const fields of [
      newer("scribe"),
      older("scribe"),
      { ...newer("allowed-scribe"), ...older("scribe") },
    ]) {
      client.send({ type: "session.update", session: { type: "realtime", ...fields } } as never);
      const { error } = find(await until(client, "error"), "error");
      expect(error).toMatchObject({ code: "model_not_allowed" });
      expect(error.message).toContain('"scribe"');
    }
    client.send({
      type: "session.update",
      session: { type: "realtime", ...newer("allowed-scribe") },
    } as never);
    await until(client, "session.updated");
    expect(gateway.upstream.calls()).toHaveLength(calls);
    client.close();
    await settled();
  });

  it("uses the older event names for clients that request them, and maps the model", async () => {
    const client = await session("voice-of-ours", key, { "OpenAI-Beta": "realtime=v1" });
    expect(client.created.session).toMatchObject({ model: "demo-realtime" });
    // A client repeats the name that it knows. It must not be sent to the provider.
    client.send({ type: "session.update", session: { type: "realtime", model: "voice-of-ours" } });
    await until(client, "session.updated");
    say(client, "Hello");
    const types = (await until(client, "response.done")).map((event) => event.type as string);
    expect(types).toContain("response.audio.delta");
    expect(gateway.upstream.calls().at(-1)?.headers["openai-beta"]).toBe("realtime=v1");
  });

  it("accepts a browser's key from the subprotocols and never returns it", async () => {
    const address = `${gateway.url.replace("http", "ws")}/v1/realtime?model=demo-realtime`;
    const socket = new WebSocket(address, ["realtime", `openai-insecure-api-key.${key}`]);
    open.push(socket);
    const [first] = await once(socket, "message");
    expect(JSON.parse(String(first)).type).toBe("session.created");
    expect(socket.protocol).toBe("realtime");
    expect(JSON.stringify(gateway.upstream.calls().at(-1))).not.toContain(key);
  });

  it("uses another channel before the client gets a response", async () => {
    const first = await gateway.addChannel({
      type: 8,
      name: "first",
      models: ["demo-realtime"],
      priority: 9,
      key: "demo-fail-503",
    });
    const client = await session();
    client.close();
    await settled();
    expect((await rows(1))[0]?.attempts?.map((attempt) => attempt.result)).toEqual(["overloaded", "ok"]);
    await gateway.api("DELETE", `/channel/${first.id}`);
  });
});

describe("limits of a session", () => {
  it("reject a response when the rate is used up, and the session continues", async () => {
    const setting = TokenSetting.parse({ rates: { requests_per_minute: 2 } });
    const slow = await gateway.addToken({ setting });
    const client = await session("demo-realtime", slow.key);
    for (const words of ["One", "Two"]) {
      say(client, words);
      await until(client, "response.done");
    }
    client.send({ type: "response.create" });
    const { error } = find(await until(client, "error"), "error");
    expect(error).toMatchObject({ type: "rate_limit_error" });
    client.send({ type: "input_audio_buffer.clear" });
    await until(client, "input_audio_buffer.cleared");
    client.close();
    await settled();
  });

  it("require one call at a time, including the transcription", async () => {
    const setting = TokenSetting.parse({ rates: { concurrency: 1 } });
    const single = await gateway.addToken({ setting });
    const client = await session("demo-realtime", single.key);
    const input = { transcription: { model: "scribe" } };
    client.send({ type: "session.update", session: { type: "realtime", audio: { input } } });
    await until(client, "session.updated");
    say(client, "[[chunk-delay=20]] [[length=20]]");
    await until(client, "response.output_audio.delta");
    client.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(48_000).toString("base64") });
    client.send({ type: "input_audio_buffer.commit" });
    const done = until(client, "response.done");
    await until(client, "conversation.item.input_audio_transcription.completed");
    await done;
    say(client, "And again");
    await until(client, "response.done");
    client.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(48_000).toString("base64") });
    client.send({ type: "input_audio_buffer.commit" });
    await until(client, "conversation.item.input_audio_transcription.completed");
    client.close();
    await settled();
    const charged = (await rows(5, single.id)).filter((row) => row.quota > 0).map((row) => row.model_name);
    expect(charged.toSorted()).toEqual(["demo-realtime", "demo-realtime", "scribe", "scribe"]);
    expect(await gateway.drift()).toBe(0n);
  });

  it("end it when its key is disabled", async () => {
    const doomed = await gateway.addToken();
    const client = await session("demo-realtime", doomed.key);
    const closed = once(client.socket, "close");
    await gateway.api("PATCH", `/token/${doomed.id}`, { status: 2 });
    expect(find(await until(client, "error"), "error").error.message).toMatch(/key/i);
    expect((await closed)[0]).toBe(1008);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("before the upgrade", () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it("rejects a wrong key, an unknown model and a missing model", async () => {
    expect(
      await refusal("/v1/realtime?model=demo-realtime", bearer("sk-nobody-has-this-key-0123456789")),
    ).toMatchObject({
      status: 401,
      error: { code: "invalid_api_key" },
    });
    expect(await refusal("/v1/realtime?model=nothing", bearer(key))).toMatchObject({
      status: 404,
      error: { code: "model_not_found" },
    });
    expect(await refusal("/v1/realtime", bearer(key))).toMatchObject({
      status: 400,
      error: { param: "model" },
    });
  });

  it("rejects a key without balance, and calls no provider", async () => {
    const poor = await gateway.addToken({ unlimited_quota: false, remain_quota: 10 });
    const before = gateway.upstream.calls().length;
    expect(await refusal("/v1/realtime?model=demo-realtime", bearer(poor.key))).toMatchObject({
      status: 402,
      error: { code: "token_quota_exhausted" },
    });
    expect(gateway.upstream.calls()).toHaveLength(before);
  });

  it("reports to a plain HTTP request that this is a WebSocket endpoint", async () => {
    const answer = await fetch(`${gateway.url}/v1/realtime?model=demo-realtime`, { headers: bearer(key) });
    expect(answer.status).toBe(426);
  });

  it("serves requests that offer another protocol as plain HTTP", async () => {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    const body = JSON.stringify({ model: "demo-realtime", messages: [{ role: "user", content: "Hello" }] });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        "connection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n" +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer).toContain("chat.completion");
  });

  it("releases everything when a client disconnects while its provider is called", async () => {
    gateway.upstream.control.set({ delay: 400, only: { path: "/v1/realtime" } });
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.write(
      `GET /v1/realtime?model=demo-realtime HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    while ((await gateway.database.db.reservation.count()) === 0) await sleep(10);
    socket.destroy();
    await settled();
  });
});

describe("the end of a session", () => {
  it("is reported with an error when the balance does not cover a further response", async () => {
    // The reservation for the first response fits. After its charge, the next one does not.
    const poor = await gateway.addToken({ unlimited_quota: false, remain_quota: 90_000 });
    const client = await session("demo-realtime", poor.key);
    say(client, "[[output=8000]] Tell me everything");
    const closed = once(client.socket, "close");
    await until(client, "response.done");
    const output = find(await until(client, "error"), "error");
    expect(output.error).toMatchObject({ type: "insufficient_quota" });
    expect((await closed)[0]).toBe(1008);
    await settled();
    const left = await gateway.database.db.token.findUniqueOrThrow({ where: { id: poor.id } });
    expect(left.remain_quota).toBeGreaterThanOrEqual(0n);
    expect(await gateway.drift()).toBe(0n);
  });

  it("cancels the response when the client disconnects, and charges the provider's usage", async () => {
    const client = await session();
    say(client, "[[length=50]] [[chunk-delay=30]]");
    await until(client, "response.output_audio.delta");
    client.socket.terminate();
    await settled();
    const row = (await rows(1)).find(({ outcome }) => outcome === "client-left");
    expect(row).toMatchObject({ estimated: false });
    expect(row?.completion_tokens).toBeGreaterThan(0);
  });

  it("closes the provider's connection when the client disconnects, and charges the gateway's count without usage", async () => {
    const client = await session();
    say(client, "[[no-usage]] [[length=200]] [[chunk-delay=30]]");
    await until(client, "response.output_audio.delta");
    client.socket.terminate();
    await settled();
    await expect.poll(() => gateway.upstream.calls().at(-1)?.endedAt ?? 0).toBeGreaterThan(0);
    const row = (await rows(1)).find(({ outcome }) => outcome === "client-left");
    expect(row).toMatchObject({ estimated: true });
    expect(row?.completion_tokens).toBeGreaterThan(0);
    expect(row?.completion_tokens).toBeLessThan(200);
    expect(await gateway.drift()).toBe(0n);
  });

  it("is reported when the provider dies in the middle of a response", async () => {
    const client = await session();
    const closed = once(client.socket, "close");
    say(client, "[[cut=3]] [[length=20]]");
    const error = find(await until(client, "error"), "error");
    expect(error.error.message).toContain("closed the session");
    expect((await closed)[0]).toBe(1011);
    await settled();
    const row = (await rows(1)).find(({ outcome }) => outcome === "upstream-died");
    expect(row?.completion_tokens).toBeGreaterThan(0);
  });

  it("follows a message that is too large", async () => {
    const client = await session();
    const closed = once(client.socket, "close");
    client.socket.send(Buffer.alloc(17 * 1024 * 1024, 65), { binary: false }, () => {});
    expect((await closed)[0]).toBe(1009);
    await settled();
  });

  it("follows a long time without messages", async () => {
    await gateway.api("PUT", "/option", { key: "RealtimeIdleSeconds", value: 1 });
    const client = await session();
    const closed = once(client.socket, "close");
    const [error, [code]] = await Promise.all([until(client, "error"), closed]);
    expect(find(error, "error").error.message).toContain("within 1 s");
    expect(code).toBe(1000);
    await gateway.api("PUT", "/option", { key: "RealtimeIdleSeconds", value: 300 });
  });

  it("waits for an active response when the node stops", async () => {
    const other = await startTestGateway({}, gateway);
    const client = await connected(clientOf("demo-realtime", other, key));
    say(client, "[[length=40]] [[chunk-delay=20]]");
    await until(client, "response.created");
    const closed = once(client.socket, "close");
    const [events] = await Promise.all([until(client, "response.done"), other.stop()]);
    expect(find(events, "response.done").response.status).toBe("completed");
    expect((await closed)[0]).toBe(1001);
    await settled();
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("a channel's proxy", () => {
  const requested: string[] = [];
  const proxies: Server[] = [];

  async function started(proxy: Server): Promise<number> {
    proxies.push(proxy);
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    return (proxy.address() as { port: number }).port;
  }
  afterAll(() => {
    for (const proxy of proxies) proxy.close();
  });

  /** Connects the two sockets once the tunnel is open. */
  function join(socket: Duplex, host: string, port: number, welcome: string | Buffer): void {
    requested.push(`${host}:${port}`);
    const upstream = connect(port, host, () => {
      socket.write(welcome);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  }

  function httpProxy(): Server {
    const proxy = createServer();
    proxy.on("connect", (request, socket) => {
      const [host = "", port = ""] = (request.url ?? "").split(":");
      join(socket, host, Number(port), "HTTP/1.1 200 Established\r\n\r\n");
    });
    return proxy;
  }

  /** Version 5, without a password, with addresses of four bytes or names. */
  function socksProxy(): Server {
    return createTcpServer((socket) => {
      socket.once("data", () => {
        socket.write(Buffer.from([5, 0]));
        socket.once("data", (wish: Buffer) => {
          const end = wish[3] === 1 ? 8 : 5 + (wish[4] ?? 0);
          const host = wish[3] === 1 ? wish.subarray(4, 8).join(".") : wish.toString("utf8", 5, end);
          join(socket, host, wish.readUInt16BE(end), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        });
      });
    });
  }

  it.each([
    ["http", httpProxy],
    ["socks5", socksProxy],
  ])("carries the session over %s", async (scheme, proxy) => {
    const port = await started(proxy());
    const model = `demo-realtime@over-${scheme}`;
    await gateway.addChannel({
      type: 8,
      name: scheme,
      models: [model],
      proxy: `${scheme}://127.0.0.1:${port}`,
    });
    await gateway.addPrice(model);
    requested.length = 0;
    const client = await session(model);
    say(client, "Hello");
    await until(client, "response.done");
    expect(requested).toEqual([new URL(gateway.upstream.url).host]);
  });
});
