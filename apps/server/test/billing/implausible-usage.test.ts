import type { LogPage, LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replay } from "#domain/pricing/replay.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/**
 * Reported usage is billed only as far as the request can have caused it, and endless responses are ended.
 */
let gateway: TestGateway;
let raw: RawUpstream;
let key: string;

beforeAll(async () => {
  [gateway, raw] = await Promise.all([startTestGateway(), startRawUpstream()]);
  for (const model of ["m", "m-claude", "m-gemini"]) await gateway.addPrice(model, { input: 1, output: 1 });
  const base_url = raw.url;
  await gateway.addChannel({ type: 1, base_url, name: "openai", models: ["m"] });
  await gateway.addChannel({ type: 14, base_url, name: "claude", models: ["m-claude"] });
  await gateway.addChannel({ type: 25, base_url, name: "gemini", models: ["m-gemini"] });
  ({ key } = await gateway.addToken());
  // The same channel serves the next test, even if this one makes it fail.
  await gateway.api("PUT", "/option/", { key: "RetryCooldownSeconds", value: "0" });
});
afterAll(async () => {
  await gateway.stop();
  await raw.close();
});

async function lastRow(): Promise<LogRow> {
  const { data } = await gateway.api<LogPage>("GET", "/log?size=1");
  const [row] = data;
  if (row === undefined) throw new Error("The call is not in the log.");
  return row;
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const say = [{ role: "user", content: "Hello" }];
const text = "Hello there, how can I help you today? ".repeat(4);
type Wire = { path: string; body: object; answer: (input: unknown, output: unknown) => object };
const wires: Record<string, Wire> = {
  chat: {
    path: "/v1/chat/completions",
    body: { model: "m", max_tokens: 100, messages: say },
    answer: (input, output) => ({
      id: "c",
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: 0 },
    }),
  },
  responses: {
    path: "/v1/responses",
    body: { model: "m", max_output_tokens: 100, input: "Hello" },
    answer: (input, output) => ({
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "m",
      output: [
        {
          type: "message",
          id: "m",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ],
      usage: { input_tokens: input, output_tokens: output, total_tokens: 0 },
    }),
  },
  messages: {
    path: "/v1/messages",
    body: { model: "m-claude", max_tokens: 100, messages: say },
    answer: (input, output) => ({
      id: "m",
      type: "message",
      role: "assistant",
      model: "m-claude",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: 0 },
    }),
  },
  gemini: {
    path: "/v1beta/models/m-gemini:generateContent",
    body: {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { maxOutputTokens: 100 },
    },
    answer: (input, output) => ({
      candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, thoughtsTokenCount: 1 },
    }),
  },
};

/** Returns the part of an answer that contains the token counts. */
function usageOf(answer: object): object {
  const found = Object.entries(answer).filter(([name]) => name === "usage" || name === "usageMetadata");
  return Object.fromEntries(found);
}

async function answered(wire: Wire, input: unknown, output: unknown): Promise<string> {
  const body = JSON.stringify(wire.answer(input, output)).replaceAll('"1e308"', "1e308");
  raw.play({
    chunks: [head("application/json", { "content-length": String(body.length) }), body],
    ending: "end",
  });
  const answer = await post(wire.path, wire.body);
  const answerText = await answer.text();
  expect(answer.status, answerText).toBe(200);
  return answerText;
}

async function charged(wire: Wire, input: unknown, output: unknown): Promise<LogRow> {
  await answered(wire, input, output);
  return lastRow();
}

describe.each(Object.entries(wires))("%s", (_, wire) => {
  it.each([
    [1e9, 1e9],
    [1e9, 5],
    [5, 1e9],
  ])("caps, marks and explains a usage of %d and %d", async (input, output) => {
    const row = await charged(wire, input, output);
    expect(row).toMatchObject({ estimated: true });
    expect(row.prompt_tokens).toBeLessThan(1_200);
    // Four times the reservation.
    expect(row.completion_tokens).toBeLessThanOrEqual(400);
    expect(row.quota).toBe(row.prompt_tokens + row.completion_tokens);
    expect(Object.keys(row.bill?.implausible ?? {}).length).toBeGreaterThan(0);
  });

  // Clients decide by these counts when to compact a conversation.
  it("returns the reported counts to the client, whatever is billed", async () => {
    const reported = JSON.parse(await answered(wire, 95_000, 1_000)) as object;
    expect(reported).toMatchObject(usageOf(wire.answer(95_000, 1_000)));
    expect((await lastRow()).prompt_tokens).toBeLessThan(1_200);
  });

  it("passes no negative count on to the client", async () => {
    const received = await answered(wire, -95_000, -5);
    expect(received).not.toMatch(/:\s*-\d/);
  });

  it.each([-100_000, "1e308", 0.5, 2e15, 0])("counts instead of %s output tokens", async (output) => {
    const row = await charged(wire, 12, output);
    expect(row).toMatchObject({ estimated: true, prompt_tokens: 12 });
    expect(row.completion_tokens).toBeGreaterThan(25);
    expect(row.completion_tokens).toBeLessThan(100);
  });

  it.each([-100_000, "1e308", 0.5, 2e15, 0])("estimates instead of %s input tokens", async (input) => {
    const row = await charged(wire, input, 50);
    expect(row.estimated).toBe(true);
    expect(row.completion_tokens).toBeGreaterThanOrEqual(50);
    expect(row.prompt_tokens).toBeGreaterThan(5);
    expect(row.prompt_tokens).toBeLessThan(100);
  });

  it("ignores usage in strings, null and lists", async () => {
    for (const none of ["many", "100000", null, [5], { a: 1 }, true]) {
      const row = await charged(wire, none, none);
      expect(row, JSON.stringify(none)).toMatchObject({ estimated: true });
      expect(row.completion_tokens, JSON.stringify(none)).toBeGreaterThan(25);
      expect(row.prompt_tokens).toBeGreaterThan(5);
    }
  });
});

/** Yields events without end, in portions that a test machine can process. */
function* endless(event: string): Generator<string> {
  yield head("text/event-stream");
  const portion = event.repeat(20);
  for (let sent = 0; sent < 100_000_000; sent += portion.length) yield portion;
}

describe("a recording whose provider reports no usage", () => {
  /** One minute of 16-bit audio at 16 kHz. */
  const bytes = 60 * 32_000;
  function wave(rate: number, channels: number, byteRate = rate * channels * 2): Buffer<ArrayBuffer> {
    const file = Buffer.alloc(44 + bytes);
    file.write("RIFF");
    file.write("WAVEfmt ", 8);
    file.writeUInt16LE(1, 20);
    file.writeUInt16LE(channels, 22);
    file.writeUInt32LE(rate, 24);
    file.writeUInt32LE(byteRate, 28);
    file.writeUInt16LE(16, 34);
    return file;
  }
  const plain = Buffer.alloc(bytes, 7);

  it.each<[string, [string, Buffer<ArrayBuffer>][]]>([
    ["with a true header", [["a.wav", wave(16_000, 1)]]],
    ["whose header claims 384 kB/s", [["a.wav", wave(96_000, 2)]]],
    ["whose header claims 384 kB/s against itself", [["a.wav", wave(16_000, 1, 384_000)]]],
    ["without a header", [["a.mp3", plain]]],
    [
      "behind a small file",
      [
        ["decoy.wav", wave(96_000, 2).subarray(0, 100)],
        ["a.mp3", plain],
      ],
    ],
    ["behind a tag", [["a.mp3", Buffer.concat([Buffer.from("ID3\u0004\0\0\0\0\0\0"), plain])]]],
  ])("%s is charged at least by its size in bytes", async (_, files) => {
    raw.play({ chunks: [head("text/plain"), "Hello."], ending: "end" });
    const form = new FormData();
    form.append("model", "m");
    form.append("response_format", "text");
    for (const [name, file] of files) form.append("file", new Blob([file]), name);
    const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    // A form with two files may be rejected, but it must not be cheap.
    if (answer.status === 400) return;
    expect(answer.status, await answer.text()).toBe(200);
    const row = await lastRow();
    expect(row.estimated).toBe(true);
    expect(row.prompt_tokens).toBeGreaterThanOrEqual(600);
  });
});

describe("an endless response", () => {
  const delta = (content: string, more: object = {}) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta: { content }, ...more }] })}\n\n`;

  it.each([
    ["text", delta("word ".repeat(50))],
    ["events without text", delta("", { padding: "x".repeat(500) })],
    ["comments", `: ${"x".repeat(500)}\n\n`],
  ])("cuts a stream of %s, with an error if something was sent", async (_, event) => {
    raw.play({ chunks: endless(event), ending: "hang" });
    const answer = await post("/v1/chat/completions", {
      model: "m",
      max_tokens: 100,
      stream: true,
      messages: say,
    });
    const received = await answer.text();
    expect(received).toContain('"answer_too_long"');
    expect(received.length).toBeLessThan(6_000_000);
    const row = await lastRow();
    expect(row.error_code).toBe("answer_too_long");
    expect(row.quota).toBeLessThan(1_600);
  });

  it("is cut when it is not streamed, and charged for what was delivered", async () => {
    function* chunks() {
      yield head("application/json");
      yield '{"choices":[{"message":{"content":"';
      for (let sent = 0; sent < 100_000_000; sent += 20_000) yield "word ".repeat(4_000);
    }
    raw.play({ chunks: chunks(), ending: "hang" });
    const answer = await post("/v1/chat/completions", { model: "m", max_tokens: 100, messages: say });
    // The response passes through as it arrives, so only its broken end shows that it was cut.
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    const row = await lastRow();
    expect(row.error_code).toBe("answer_too_long");
    expect(row.quota).toBeLessThan(1_600);
  });

  it("ends a response that takes too long", async () => {
    await gateway.api("PUT", "/option/", { key: "MaxAnswerSeconds", value: "1" });
    function* chunks() {
      yield head("text/event-stream");
      while (true) yield delta("a");
    }
    raw.play({ chunks: chunks(), ending: "hang", pauseMs: 100 });
    const answer = await post("/v1/chat/completions", {
      model: "m",
      max_tokens: 5_000,
      stream: true,
      messages: say,
    });
    expect(await answer.text()).toContain('"answer_too_long"');
    await gateway.api("PUT", "/option/", { key: "MaxAnswerSeconds", value: "3600" });
  });

  it("leaves every balance explained by the ledger", async () => {
    expect(await gateway.drift()).toBe(0n);
    const { pool } = gateway.database;
    const { differences } = await replay(
      pool,
      new Date(Date.now() - 3_600_000),
      new Date(Date.now() + 60_000),
    );
    expect(differences).toEqual([]);
  });
});
