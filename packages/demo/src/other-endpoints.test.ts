import { inflateSync } from "node:zlib";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoUpstream, startDemoUpstream } from "./server.ts";

let upstream: DemoUpstream;
let openai: OpenAI;

beforeAll(async () => {
  upstream = await startDemoUpstream();
  openai = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: "demo", maxRetries: 0 });
});
afterAll(() => upstream.close());

const post = async (path: string, body: object, key = "demo") => {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(upstream.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
};

describe("embeddings", () => {
  const near = (one: number[], other: number[]) =>
    one.reduce((sum, value, at) => sum + value * other[at]!, 0);

  it("places similar texts close to each other, as numbers and as bytes", async () => {
    const input = ["the cat sat on the mat", "the cat lay on the mat", "quarterly revenue report"];
    const model = "demo-embed";
    const { data, usage } = await openai.embeddings.create({ model, input });
    const [one, two, three] = data.map((entry) => entry.embedding) as [number[], number[], number[]];
    expect(one).toHaveLength(256);
    expect(near(one, two)).toBeGreaterThan(near(one, three));
    expect(usage.total_tokens).toBeGreaterThan(10);
    const plain = await openai.embeddings.create({ model, input, encoding_format: "float", dimensions: 8 });
    expect(plain.data[0]!.embedding).toHaveLength(8);
    expect(near(plain.data[0]!.embedding, plain.data[0]!.embedding)).toBeCloseTo(1);
  });

  it("supports Gemini's two methods", async () => {
    const content = { parts: [{ text: "hello" }] };
    const one = JSON.parse(
      (await post("/v1beta/models/demo-embed:embedContent", { content })).text,
    ) as object;
    expect(one).toMatchObject({ embedding: { values: expect.any(Array) as number[] } });
    const requests = [{ content }, { content }];
    const many = await post("/v1beta/models/demo-embed:batchEmbedContents", { requests });
    expect((JSON.parse(many.text) as { embeddings: object[] }).embeddings).toHaveLength(2);
  });
});

it("continues a prompt, plain and streamed", async () => {
  const requested = { model: "demo-chat", prompt: "[[say=once upon a time]]" };
  const plain = await openai.completions.create(requested);
  expect(plain.choices[0]!.text).toBe("once upon a time");
  let text = "";
  for await (const chunk of await openai.completions.create({ ...requested, stream: true }))
    text += chunk.choices[0]!.text;
  expect(text).toBe("once upon a time");
});

it("flags violent texts and no others", async () => {
  const { results } = await openai.moderations.create({ input: ["I will kill the process", "Good morning"] });
  expect(results.map((result) => result.flagged)).toEqual([true, false]);
  expect(results[0]!.categories.violence).toBe(true);
});

it("generates real PNG images", async () => {
  const made = await openai.images.generate({ model: "demo-image", prompt: "A red house", n: 2 });
  const [one, two] = made.data!.map((image) => Buffer.from(image.b64_json!, "base64"));
  expect(one!.subarray(1, 4).toString("latin1")).toBe("PNG");
  expect(one!.equals(two!)).toBe(false);
  const start = one!.indexOf("IDAT");
  const pixels = inflateSync(one!.subarray(start + 4, start + 4 + one!.readUInt32BE(start - 4)));
  expect(pixels).toHaveLength(128 * (1 + 128 * 3));
  expect(made.usage!.output_tokens).toBe(544);
});

it("returns notes as speech, and describes uploaded audio", async () => {
  const spoken = await openai.audio.speech.create({
    model: "demo-tts",
    voice: "alloy",
    input: "Hello there",
  });
  expect(spoken.headers.get("content-type")).toBe("audio/wav");
  const bytes = Buffer.from(await spoken.arrayBuffer());
  expect(bytes.subarray(0, 4).toString("latin1")).toBe("RIFF");
  const file = await toFile(bytes, "hello.wav");
  const received = await openai.audio.transcriptions.create({ model: "demo-whisper", file });
  expect(received.text).toContain(`hello.wav, a recording of ${bytes.length} bytes`);
  const subtitles = await openai.audio.transcriptions.create({
    model: "demo-whisper",
    file,
    response_format: "srt",
  });
  expect(subtitles).toContain("00:00:00,000 --> 00:00:01,000");
});

it("ranks documents by the words they share with the query", async () => {
  const documents = ["Bread and butter", "How to bake bread at home", "Cars"];
  const { text } = await post("/v1/rerank", {
    model: "demo-rerank",
    query: "bake bread",
    documents,
    top_n: 2,
  });
  const { results } = JSON.parse(text) as { results: Array<{ index: number }> };
  expect(results.map((result) => result.index)).toEqual([1, 0]);
});

it("applies switches outside of chat, too, and rejects incomplete requests", async () => {
  expect((await post("/v1/embeddings", { model: "demo-embed", input: "[[status=500]]" })).status).toBe(500);
  expect((await post("/v1/rerank", { model: "demo-rerank" }, "demo-fail-429")).status).toBe(429);
  expect((await post("/v1/rerank", { model: "demo-rerank" })).status).toBe(400);
});

it("responds at once, in every dialect, for the key that requests speed", async () => {
  const fast = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: "demo-fast", maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const plain = await fast.chat.completions.create({ model: "any", messages });
  const streamed = await fast.chat.completions.stream({ model: "any", messages }).finalChatCompletion();
  expect(streamed.choices[0]!.message.content).toBe(plain.choices[0]!.message.content);
  expect(plain.usage!.completion_tokens).toBe(64);
  expect((await fast.responses.create({ model: "any", input: "hi" })).output_text).not.toBe("");
  expect((await post("/v1/messages", {}, "demo-fast")).text).toContain('"type":"message"');
});
