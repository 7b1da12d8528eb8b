import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import type { Self } from "@gateway/shared/accounts/session";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/** All ways in which a call can end, with connections that are really closed, and the cost of each. */
let gateway: TestGateway;
let raw: RawUpstream;
let key: string;

beforeAll(async () => {
  raw = await startRawUpstream();
  gateway = await startTestGateway();
  const values = {
    RetryCooldownSeconds: 0,
    AutomaticDisableChannelEnabled: false,
    DisconnectDrainSeconds: 1,
  };
  await gateway.api("PUT", "/option/batch", { values });
});
afterAll(async () => {
  await gateway.stop();
  await raw.close();
});

/** Type of a channel of each kind. */
const types = { same: 8, translated: 14 };
type Kind = keyof typeof types;

const sse = head("text/event-stream");
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const word = "four score and seven years ago ";

/** Parts of a response in the format of each kind of upstream, for a client of Chat Completions. */
const wire: Record<Kind, { opening: string; piece: string; finish: string; usage: string; done: string }> = {
  same: {
    opening: data({ id: "c", model: "m", choices: [{ index: 0, delta: { role: "assistant" } }] }),
    piece: data({ id: "c", model: "m", choices: [{ index: 0, delta: { content: word } }] }),
    finish: data({ id: "c", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    usage: data({
      id: "c",
      model: "m",
      choices: [],
      usage: { prompt_tokens: 7, completion_tokens: 11, total_tokens: 18 },
    }),
    done: "data: [DONE]\n\n",
  },
  translated: {
    opening:
      data({
        type: "message_start",
        message: { id: "m", model: "m", usage: { input_tokens: 7, output_tokens: 1 } },
      }) + data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    piece: data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } }),
    finish: data({ type: "content_block_stop", index: 0 }),
    usage: data({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 11 } }),
    done: data({ type: "message_stop" }),
  },
};

const body = (model: Kind, stream: boolean) =>
  JSON.stringify({ model, stream, messages: [{ role: "user", content: "Tell me." }] });

interface Received {
  status: number;
  text: string;
  broken: boolean;
}

async function ask(model: Kind, stream: boolean): Promise<Received> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body(model, stream),
    signal: AbortSignal.timeout(15_000),
  });
  const received = { status: answer.status, text: "", broken: false };
  try {
    received.text = await answer.text();
  } catch {
    received.broken = true;
  }
  return received;
}

/** Waits for the newest log row of this test's key. */
async function row(): Promise<LogRow> {
  const token = await gateway.database.db.token.findFirstOrThrow({ orderBy: { id: "desc" } });
  const [found] = await gateway.logs(1, token.id);
  if (found === undefined) throw new Error("no row");
  return found;
}

async function noReservations(): Promise<void> {
  await expect.poll(() => gateway.database.db.reservation.count()).toBe(0);
  expect((await gateway.api<Self>("GET", "/user/self")).reserved).toBe(0);
  expect(await gateway.drift()).toBe(0n);
}

describe.each(["same", "translated"] as const)("at an upstream with the format %s", (kind) => {
  const { opening, piece, finish, usage, done } = wire[kind];
  let channel: number;

  // Most rows make their channel fail, which pauses it. Each row therefore has a channel of its own.
  beforeEach(async () => {
    ({ key } = await gateway.addToken());
    const mapping = { models: [kind], model_mapping: { [kind]: "demo-chat" } };
    ({ id: channel } = await gateway.addChannel({
      type: types[kind],
      name: kind,
      base_url: raw.url,
      ...mapping,
    }));
  });
  afterEach(() => gateway.api("DELETE", `/channel/${channel}`));

  it("charges a complete response by the provider's usage", async () => {
    raw.play({ chunks: [sse, opening, piece, finish, usage, done], ending: "end" });
    const received = await ask(kind, true);
    expect(received.text).toContain("[DONE]");
    expect(await row()).toMatchObject({
      outcome: "complete",
      status: 200,
      prompt_tokens: 7,
      completion_tokens: 11,
      estimated: false,
    });
    await noReservations();
  });

  it("charges the input when the client leaves before the first byte, and cancels the upstream when it will not respond in time", async () => {
    raw.play({ chunks: [], ending: "hang" });
    const sent = httpRequest(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    sent.on("error", () => {});
    sent.end(body(kind, true));
    const before = raw.calls();
    await expect.poll(() => raw.calls()).toBe(before + 1);
    sent.destroy();
    await expect.poll(() => raw.leftAt(), { interval: 10 }).toBeDefined();
    expect(await row()).toMatchObject({
      outcome: "client-left",
      status: 499,
      completion_tokens: 0,
      estimated: true,
    });
    expect((await row()).prompt_tokens).toBeGreaterThan(0);
    await noReservations();
  });

  it("charges what was delivered when the client's socket is closed in the middle", async () => {
    const pieces = Array.from({ length: 1_000 }, () => piece);
    raw.play({ chunks: [sse, opening, ...pieces, finish, usage, done], ending: "end", pauseMs: 20 });
    const text = body(kind, true);
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    let received = "";
    socket.on("data", (bytes) => (received += bytes.toString()));
    socket.on("error", () => {});
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    await expect.poll(() => received.split("four score").length, { interval: 10 }).toBeGreaterThan(5);
    socket.resetAndDestroy();
    await expect.poll(() => raw.leftAt(), { interval: 10 }).toBeDefined();
    const logged = await row();
    expect(logged).toMatchObject({ outcome: "client-left", status: 499, estimated: true });
    expect(logged.completion_tokens).toBeGreaterThan(0);
    expect(logged.completion_tokens).toBeLessThan(100 * word.length);
    expect(logged.quota).toBeGreaterThan(0);
    await noReservations();
  });

  it.each([
    ["before its headers", []],
    ["in the middle of its headers", [sse.slice(0, 30)]],
    ["after its headers", [sse]],
    ["after its headers and an empty opening", [sse, ": hello\n\n"]],
  ])("charges nothing when the upstream disconnects %s", async (_where, chunks) => {
    raw.play({ chunks, ending: "reset" });
    const received = await ask(kind, true);
    expect(received.status).toBeGreaterThanOrEqual(500);
    expect(JSON.parse(received.text)).toHaveProperty("error.message");
    expect(await row()).toMatchObject({ outcome: "failed", quota: 0 });
    await noReservations();
  });

  it.each(["reset", "end"] as const)(
    "charges what was delivered when the upstream disconnects in the middle (%s), and sends the client an error",
    async (ending) => {
      raw.play({ chunks: [sse, opening, piece, piece], ending });
      const received = await ask(kind, true);
      expect(received.text).toContain("four score");
      expect(received.text).not.toContain("[DONE]");
      expect(received.text).toContain("closed the connection");
      const logged = await row();
      expect(logged).toMatchObject({ outcome: "upstream-died", status: 502, estimated: true });
      expect(logged.completion_tokens).toBe(Math.ceil((2 * word.length) / 4));
      await noReservations();
    },
  );

  it("treats a response as complete when the upstream closes after its last text but before its last frame", async () => {
    raw.play({ chunks: [sse, opening, piece, finish, usage], ending: "reset" });
    const received = await ask(kind, true);
    expect(received.text).toContain("four score");
    expect(received.text).toContain('"finish_reason":"stop"');
    expect(received.text).not.toContain("closed the connection");
    expect(await row()).toMatchObject({
      outcome: "complete",
      prompt_tokens: 7,
      completion_tokens: 11,
      estimated: false,
    });
    await noReservations();
  });

  it("charges nothing for an empty response", async () => {
    for (const stream of [true, false]) {
      raw.play({ chunks: [head(stream ? "text/event-stream" : "application/json")], ending: "end" });
      expect((await ask(kind, stream)).status).toBeGreaterThanOrEqual(500);
    }
    expect(await row()).toMatchObject({ outcome: "failed", quota: 0 });
    await noReservations();
  });

  it("charges nothing for a truncated non-streamed response, because the client received none of it", async () => {
    raw.play({
      chunks: ['HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"id":'],
      ending: "reset",
    });
    expect((await ask(kind, false)).status).toBeGreaterThanOrEqual(500);
    expect(await row()).toMatchObject({ outcome: "failed", quota: 0 });
    await noReservations();
  });

  it("charges nothing when the upstream rejects the call", async () => {
    const refusal = JSON.stringify({ error: { type: "invalid_request_error", message: "No." } });
    raw.play({ chunks: [head("application/json", {}, 400), refusal], ending: "end" });
    expect((await ask(kind, true)).status).toBe(400);
    expect(await row()).toMatchObject({ outcome: "failed", quota: 0 });
    await noReservations();
  });
});
