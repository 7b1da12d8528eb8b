import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";

/** Counts work that does not depend on the machine: bytes that are parsed, and bytes that are kept. */
const MEGABYTE = 1024 * 1024;
/** Texts that are parsed for any call: settings, small rows, errors. */
const SMALL = 64 * 1024;

let gateway: TestGateway;
let key: string;
let answer = { type: "application/json", body: "" };
const provider = createServer((incoming, response) => {
  incoming.resume().on("end", () => {
    response.writeHead(200, { "content-type": answer.type }).end(answer.body);
  });
});

beforeAll(async () => {
  gateway = await startTestGateway({ MEMORY_BUDGET_MB: "256" });
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const base_url = `http://127.0.0.1:${(provider.address() as { port: number }).port}`;
  await gateway.addChannel({ type: 1, name: "any", base_url, models: ["m"] });
  await gateway.addPrice("m");
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await gateway.stop();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const setBalance = (points: number) => gateway.database.pool.query("UPDATE users SET quota = $1", [points]);

/** Counts the characters of long texts that are parsed until the returned function is called. */
function parsing(): () => number {
  const parse = JSON.parse;
  let long = 0;
  vi.spyOn(JSON, "parse").mockImplementation((text: string, ...rest) => {
    if (text.length > SMALL) long += text.length;
    return parse(text, ...rest) as unknown;
  });
  return () => long;
}

/** Returns the bytes that are counted in the memory budget. */
async function counted(): Promise<number> {
  const headers = { authorization: `Bearer ${testAccessToken}` };
  const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
  return Number(/^gateway_memory_budget_bytes\{kind="used"\} (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
}

/** Sends the body without a length, in pieces, and returns the response. */
async function send(path: string, body: Buffer, headers: Record<string, string>) {
  const { hostname, port } = new URL(gateway.url);
  const sent = request({ hostname, port, path, method: "POST", headers });
  sent.on("error", () => {});
  sent.setHeader("authorization", `Bearer ${key}`);
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  for (let at = 0; at < body.length && !sent.destroyed; at += SMALL)
    sent.write(body.subarray(at, at + SMALL));
  sent.end();
  const [response] = await answered;
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

const object = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`name${index}`, index]));
/** More names than any text may have. */
const many = object(22_000);
const long = "word ".repeat(MEGABYTE / 5);
const json = { "content-type": "application/json" };
const chat = { model: "m", max_tokens: 9, messages: [{ role: "user", content: long }] };
const gemini = { contents: [{ role: "user", parts: [{ text: long }] }] };
const embed = { model: "models/m", content: { parts: [{ text: long }] } };

/** Every endpoint that costs money, or stores what it gets, with a body of a megabyte. */
const endpoints: [path: string, body: object][] = [
  ["/v1/chat/completions", chat],
  [
    "/v1/chat/completions",
    { ...chat, messages: [{ role: "user", content: [{ type: "text", text: long }] }] },
  ],
  ["/v1/responses", { model: "m", input: long }],
  ["/v1/responses/compact", { model: "m", input: [{ role: "user", content: long }] }],
  ["/v1/responses/input_tokens", { model: "m", input: long }],
  ["/v1/messages", chat],
  ["/v1/messages/count_tokens", chat],
  ["/claude/v1/messages", chat],
  ["/v1beta/models/m:generateContent", gemini],
  ["/v1beta/models/m:streamGenerateContent", gemini],
  ["/v1beta/models/m:countTokens", gemini],
  ["/v1beta/models/m:embedContent", embed],
  ["/v1beta/models/m:batchEmbedContents", { requests: [embed] }],
  ["/v1beta/interactions", { model: "m", input: long }],
  [
    "/v1/interactions",
    { model: "m", input: [{ type: "user_input", content: [{ type: "text", text: long }] }] },
  ],
  ["/gemini/v1beta/interactions", { model: "m", input: long }],
  ["/v1/messages", { ...chat, thread: { type: "continue", previous_message_id: "msg_1" } }],
  ["/v1/completions", { model: "m", prompt: long }],
  ["/v1/embeddings", { model: "m", input: long }],
  ["/v1/moderations", { model: "m", input: long }],
  ["/v1/rerank", { model: "m", query: "q", documents: [long] }],
  ["/v1/images/generations", { model: "m", prompt: long }],
  ["/v1/audio/speech", { model: "m", input: long, voice: "alloy" }],
  ["/v1/conversations", { items: [{ role: "user", content: long }] }],
  ["/recraftAI/v1/images/vectorize", { image: long }],
  ["/suno/submit/music", { prompt: long }],
  ["/kling/v1/videos/text2video", { prompt: long }],
  ["/mj/submit/imagine", { prompt: long }],
];

describe("a call of an account without a balance", () => {
  beforeAll(async () => {
    await setBalance(0);
  });

  it.each(endpoints)("to %s parses and keeps nothing of its body", async (path, content) => {
    const text = Buffer.from(JSON.stringify(content));
    const parsed = parsing();
    const answers = [
      await send(path, text, { ...json, "content-length": String(text.length) }),
      await send(path, text, json),
      await send(path, gzipSync(text), { ...json, "content-encoding": "gzip" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([402, 402, 402]);
    expect(parsed()).toBe(0);
    await expect.poll(counted).toBe(0);
  });

  it.each([
    "/v1/images/edits",
    "/v1/images/variations",
    "/v1/audio/transcriptions",
    "/v1/audio/translations",
  ])("with a form to %s keeps nothing of it", async (path) => {
    const part = `--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${long}\r\n--x--\r\n`;
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    expect((await send(path, Buffer.from(part), headers)).status).toBe(402);
    await expect.poll(counted).toBe(0);
  });

  it("over WebSocket parses and keeps nothing, and eleven events close the connection", async () => {
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/v1/responses`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const events: { error?: { code: string } }[] = [];
    socket.on("message", (data) =>
      events.push(JSON.parse((data as Buffer).toString()) as (typeof events)[number]),
    );
    await once(socket, "open");
    const parsed = parsing();
    const input = long.slice(0, 2 * SMALL);
    const event = JSON.stringify({ type: "response.create", generate: false, model: "m", input });
    for (let count = 0; count < 12; count += 1) socket.send(event);
    const [code] = (await once(socket, "close")) as [number];
    expect(code).toBe(1008);
    expect(events).toHaveLength(11);
    expect(events[0]).toMatchObject({ error: { code: "insufficient_quota" } });
    expect(parsed()).toBe(0);
    await expect.poll(counted).toBe(0);
  });
});

describe("a call of an account with a balance", () => {
  beforeAll(async () => {
    await setBalance(1_000_000_000);
    const body = Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: long }] }));
    answer.body = JSON.stringify({ choices: [{ message: { role: "assistant", content: "Hi" } }] });
    await vi.waitFor(async () => {
      expect((await send("/v1/chat/completions", body, json)).status).toBe(200);
    }, 30_000);
  });

  it("to a model that does not exist parses nothing of its body", async () => {
    const parsed = parsing();
    const unknown = { ...chat, model: "none" };
    const parts = Array.from({ length: 10_000 }, () => ({ text: "a short text" }));
    const short = { contents: [{ role: "user", parts }] };
    const calls: [path: string, body: object][] = [
      ["/v1/chat/completions", unknown],
      ["/v1/messages", unknown],
      ["/v1/embeddings", unknown],
      ["/v1beta/models/none:generateContent", short],
      ["/v1/models/maker/none:streamGenerateContent", short],
    ];
    for (const [path, body] of calls)
      expect(await send(path, Buffer.from(JSON.stringify(body)), json)).toMatchObject({ status: 404 });
    // The path names the model, whatever the body says.
    const body = Buffer.from(JSON.stringify({ ...gemini, model: "m" }));
    for (const path of ["/v1beta/models/none:generateContent", "/gemini/v1/models/none:countTokens"])
      expect(await send(path, body, json)).toMatchObject({ status: 404 });
    expect(parsed()).toBe(0);
  });

  it.each([
    ["many keys", { ...chat, metadata: many }],
    ["an object of 2,000 keys", { ...chat, response_format: { type: "text" }, extra: object(2_000), long }],
  ])("with %s is refused without parsing", async (_name, content) => {
    const parsed = parsing();
    const { status } = await send("/v1/chat/completions", Buffer.from(JSON.stringify(content)), json);
    expect(status).toBe(413);
    expect(parsed()).toBe(0);
  });

  const compressed = {
    gzip: gzipSync,
    deflate: deflateSync,
    "deflate, raw": deflateRawSync,
    // The best quality, which is the default, needs ten seconds for a bomb.
    br: (content: Buffer) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: zstdCompressSync,
  };
  const codings = Object.entries(compressed).map(([name, compress]) => ({
    name,
    compress,
    headers: { ...json, "content-encoding": name.split(",", 1)[0] ?? "" },
  }));
  it.each(codings)(
    "in $name is served, and refused when its end is missing",
    async ({ compress, headers }) => {
      const whole = compress(Buffer.from(JSON.stringify(chat)));
      for (const path of ["/v1/chat/completions", "/v1/messages"])
        expect((await send(path, whole, headers)).status).toBe(200);
      expect((await send("/v1/chat/completions", whole.subarray(0, -20), headers)).status).toBe(400);
      await expect.poll(counted).toBe(0);
    },
  );

  // Each coding counts what it unpacks in the same way.
  for (const { name, compress, headers } of codings)
    it(`in ${name} that unpacks to 70 MB is refused`, nightly(name !== "zstd"), async () => {
      const bomb = compress(Buffer.alloc(70 * MEGABYTE, "a"));
      expect((await send("/v1/chat/completions", bomb, headers)).status).toBe(413);
      await expect.poll(counted).toBe(0);
    });

  it("in an unknown coding is refused", async () => {
    const headers = { ...json, "content-encoding": "lzma" };
    expect((await send("/v1/chat/completions", Buffer.from("x"), headers)).status).toBe(415);
  });

  const short = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] };
  const answers: [name: string, path: string, sent: object, body: object | string][] = [
    ["a translated response", "/v1/messages", short, { ...many, choices: [] }],
    [
      "a stream event",
      "/v1/messages",
      { ...short, stream: true },
      `data: ${JSON.stringify({ choices: [{ delta: many }] })}\n\n`,
    ],
    [
      "arguments of a tool",
      "/v1/messages",
      short,
      {
        choices: [
          {
            message: {
              role: "assistant",
              tool_calls: [
                { id: "a", type: "function", function: { name: "f", arguments: JSON.stringify(many) } },
              ],
            },
          },
        ],
      },
    ],
    [
      "embeddings",
      "/v1/embeddings",
      { model: "m", input: "a", encoding_format: "base64" },
      { data: [{ embedding: [1], ...many }] },
    ],
    ["moderations", "/v1/moderations", { model: "m", input: "a" }, { results: [many] }],
  ];
  it.each(answers)("does not parse %s with many keys", async (name, path, sent, body) => {
    const isStream = typeof body === "string";
    answer = {
      type: isStream ? "text/event-stream" : "application/json",
      body: isStream ? body : JSON.stringify(body),
    };
    const parsed = parsing();
    // A response that is longer than its request allows is cut.
    await send(path, Buffer.from(JSON.stringify(sent)), json).catch(() => undefined);
    // A text within a response is read, but not parsed again.
    expect(parsed()).toBeLessThanOrEqual(name.startsWith("arguments") ? answer.body.length : 0);
    await expect.poll(counted).toBe(0);
  });
});
