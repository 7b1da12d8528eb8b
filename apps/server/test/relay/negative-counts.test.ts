import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** A provider that reports negative usage: no path passes it on to the client. */
let gateway: TestGateway;
let provider: Server;
let sockets: WebSocketServer;
let key: string;
/** The provider's next response. */
let answer: { type: string; body: string };

const usage = {
  prompt_tokens: -5,
  completion_tokens: -6,
  input_tokens: -5,
  output_tokens: -6,
  total_tokens: -11,
  input_tokens_details: { image_tokens: -2 },
};
const long = "a ".repeat(700_000);

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": answer.type });
      // In small pieces, so that a count may be split.
      for (let at = 0; at < answer.body.length; at += 50_001)
        response.write(answer.body.slice(at, at + 50_001));
      response.end();
    });
  }).listen(0, "127.0.0.1");
  sockets = new WebSocketServer({ server: provider });
  sockets.on("connection", (socket) => {
    socket.send(JSON.stringify({ type: "session.created", session: { id: "s" } }));
    socket.on("message", () => {
      socket.send(JSON.stringify({ type: "response.created", response: { id: "r", status: "in_progress" } }));
      const response = { id: "r", status: "completed", output: [], usage };
      socket.send(JSON.stringify({ type: "response.done", response }));
    });
  });
  await once(provider, "listening");
  const { port } = provider.address() as { port: number };
  gateway = await startTestGateway();
  const place = { base_url: `http://127.0.0.1:${port}`, key: "any" };
  const models = ["m", "m-voice"];
  await gateway.addChannel({ ...place, type: 8, name: "openai", models });
  await gateway.addChannel({ ...place, type: 1, name: "responses", models: ["m-responses"] });
  await gateway.addChannel({ ...place, type: 25, name: "gemini", models: ["m-gemini"] });
  for (const model of [...models, "m-responses", "m-gemini"]) await gateway.addPrice(model);
  ({ key } = await gateway.addToken());
});
afterAll(async () => {
  await gateway.stop();
  sockets.close();
  provider.closeAllConnections();
  provider.close();
});

const json = (body: object) => ({ type: "application/json", body: JSON.stringify(body) });
const events = (...data: object[]) => ({
  type: "text/event-stream",
  body: data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""),
});
const chat = (content: string) => ({
  id: "c",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage,
});
const responses = (text: string) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "m",
  output: [{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text }] }],
  usage,
});
const messages = [{ role: "user", content: "Hi" }];
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const gemini = (text: string) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
  usageMetadata: {
    promptTokenCount: -5,
    candidatesTokenCount: -6,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: -5 }],
  },
});
const vectors = Array.from({ length: 700 }, (_, index) => ({
  object: "embedding",
  index,
  embedding: Array.from({ length: 300 }, () => -0.5),
}));

const paths = [
  ["chat", "/v1/chat/completions", { model: "m", messages }, json(chat("Hi"))],
  ["chat, more than 1 MB", "/v1/chat/completions", { model: "m", messages }, json(chat(long))],
  [
    "responses, more than 1 MB",
    "/v1/responses",
    { model: "m-responses", input: "Hi" },
    json(responses(long)),
  ],
  [
    "chat to Messages, more than 1 MB",
    "/v1/messages",
    { model: "m", max_tokens: 9, messages },
    json(chat(long)),
  ],
  ["Gemini, more than 1 MB", "/v1beta/models/m-gemini:generateContent", { contents }, json(gemini(long))],
  [
    "embeddings, more than 1 MB",
    "/v1/embeddings",
    { model: "m", input: "Hi" },
    json({ object: "list", data: vectors, model: "m", usage }),
  ],
  [
    "Gemini embeddings",
    "/v1beta/models/m-gemini:embedContent",
    { content: contents[0] },
    json({ embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: -5 } }),
  ],
  [
    "images, more than 1 MB",
    "/v1/images/generations",
    { model: "m", prompt: "Hi" },
    json({ created: 1, data: [{ b64_json: "A".repeat(1_400_000) }], usage }),
  ],
  [
    "a stream of images",
    "/v1/images/generations",
    { model: "m", prompt: "Hi", stream: true },
    events({ type: "image_generation.completed", b64_json: "A".repeat(200_000), usage }),
  ],
  [
    "a stream of speech",
    "/v1/audio/speech",
    { model: "m", input: "Hi", voice: "alloy", stream_format: "sse" },
    events({ type: "speech.audio.delta", audio: "AAAA" }, { type: "speech.audio.done", usage }),
  ],
  [
    "rerank",
    "/v1/rerank",
    { model: "m", query: "a", documents: ["a"] },
    json({
      results: [{ index: 0, relevance_score: 0.5 }],
      meta: { billed_units: { search_units: -1 } },
      usage,
    }),
  ],
  ["token counts", "/v1beta/models/m-gemini:countTokens", { contents }, json({ totalTokens: -5 })],
] as const;

describe("a provider's negative counts", () => {
  it.each(paths)("in %s do not reach the client", async (_name, path, body, given) => {
    answer = given;
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text.slice(0, 300)).toBe(200);
    const isCount = /"(?:\w*tokens|\w*tokenCount|search_units)"\s*:\s*-/i;
    expect(isCount.exec(text)?.[0]).toBeUndefined();
    expect(isCount.test(given.body)).toBe(true);
    if (given.type === "application/json") expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it("in realtime sessions do not reach the client", async () => {
    const address = `${gateway.url.replace("http", "ws")}/v1/realtime?model=m-voice`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } });
    const received: string[] = [];
    socket.on("message", (data: Buffer) => received.push(data.toString()));
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "response.create" }));
    await expect.poll(() => received.at(-1)).toContain("response.done");
    expect(received.at(-1)).toContain('"total_tokens":0');
    expect(received.join("")).not.toContain(":-");
    socket.terminate();
  });
});
