import type OpenAI from "openai";
import { APIError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** OpenAI's other endpoints with the official client: responses and cost. */
let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startTestGateway();
  const models = [
    "demo-embed",
    "demo-image",
    "demo-tts",
    "demo-whisper",
    "demo-rerank",
    "demo-chat",
    "omni-moderation-latest",
  ];
  await gateway.addChannel({
    type: 900,
    name: "demo",
    models,
    model_mapping: { "omni-moderation-latest": "+demo-chat" },
  });
  for (const model of [...models, "renamed"]) await gateway.addPrice(model).catch(() => undefined);
  client = gateway.openai((await gateway.addToken()).key);
});
afterAll(() => gateway.stop());

/** Returns the newest row, once all calls so far have one. */
async function lastRow() {
  const [row] = await gateway.logs();
  return row;
}

describe("the openai client", () => {
  it("creates embeddings, as numbers and as base64", async () => {
    const answer = await client.embeddings.create({ model: "demo-embed", input: ["one", "two"] });
    expect(answer.data).toHaveLength(2);
    expect(answer.data[0]?.embedding.length).toBeGreaterThan(3);
    expect(answer.usage.prompt_tokens).toBeGreaterThan(0);
    const row = await lastRow();
    expect(row).toMatchObject({
      endpoint: "/v1/embeddings",
      prompt_tokens: answer.usage.prompt_tokens,
      estimated: false,
    });
  });

  it("generates images", async () => {
    const answer = await client.images.generate({ model: "demo-image", prompt: "a boat", n: 2 });
    expect(answer.data).toHaveLength(2);
    expect((await lastRow())?.endpoint).toBe("/v1/images/generations");
  });

  it("generates speech, byte for byte, charged by its input", async () => {
    const answer = await client.audio.speech.create({
      model: "demo-tts",
      input: "Hello there",
      voice: "alloy",
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(1_000);
    const row = await lastRow();
    expect(row).toMatchObject({ endpoint: "/v1/audio/speech", outcome: "complete" });
    expect(row?.prompt_tokens).toBeGreaterThan(0);
  });

  it("transcribes a file", async () => {
    const file = new File([new Uint8Array(40_000)], "talk.wav", { type: "audio/wav" });
    const answer = await client.audio.transcriptions.create({ model: "demo-whisper", file });
    expect(answer.text.length).toBeGreaterThan(0);
    expect((await lastRow())?.endpoint).toBe("/v1/audio/transcriptions");
  });

  it("moderates with the documented default model, under the requested name", async () => {
    const answer = await client.moderations.create({ input: "a kind word" });
    expect(answer.results).toHaveLength(1);
  });

  it("completes text, streamed and not", async () => {
    const plain = await client.completions.create({
      model: "demo-chat",
      prompt: "Once upon",
      max_tokens: 20,
    });
    expect(plain.choices[0]?.text.length).toBeGreaterThan(0);
    let text = "";
    const stream = await client.completions.create({ model: "demo-chat", prompt: "Once upon", stream: true });
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? "";
    expect(text.length).toBeGreaterThan(0);
  });

  it("gets an OpenAI error for a model that no provider offers at this endpoint", async () => {
    const refused = client.embeddings.create({ model: "no-such-model", input: "x" });
    await expect(refused).rejects.toThrow(APIError);
    await expect(client.images.generate({ model: "demo-image", prompt: "x", n: -3 })).rejects.toMatchObject({
      status: 400,
      param: "n",
    });
  });
});

describe("rerank", () => {
  it("passes through in the format of its providers", async () => {
    const response = await fetch(`${gateway.url}/v1/rerank`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-rerank", query: "boat", documents: ["a boat", "a tree"] }),
    });
    const answer = (await response.json()) as { results: { index: number }[] };
    expect(answer.results.map((result) => result.index).toSorted((a, b) => a - b)).toEqual([0, 1]);
  });
});

describe("after all calls", () => {
  it("the ledger is consistent", async () => {
    expect(await gateway.drift()).toBe(0n);
  });
});
