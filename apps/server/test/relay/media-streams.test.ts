import type { LogRow } from "@gateway/shared/usage/log";
import type OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Streamed images, transcripts and speech with the official client: forwarded events and cost. */
let gateway: TestGateway;
let client: OpenAI;
let url: string;

const models = ["demo-image", "demo-tts", "demo-whisper", "demo-transcribe"];

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 900, name: "demo", models });
  for (const model of models) await gateway.addPrice(model).catch(() => undefined);
  client = gateway.openai((await gateway.addToken()).key);
  url = `${gateway.url}/v1`;
});
beforeEach(() => gateway.upstream.control.reset());
afterAll(() => gateway.stop());

let seen = 0;
async function nextRow(): Promise<LogRow> {
  seen += 1;
  const [row] = await gateway.logs(seen);
  if (row === undefined) throw new Error("no row");
  return row;
}

const sound = () => new File([new Uint8Array(96_000)], "talk.wav", { type: "audio/wav" });
const picture = () => new File([new Uint8Array(2_000)], "boat.png", { type: "image/png" });

/** Returns a whole stream as text, with the arrival time of each chunk. */
async function raw(path: string, body: unknown): Promise<string> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${client.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  return response.text();
}

describe("streamed images", () => {
  it("arrive as drafts and then complete, and are billed by the usage in the last event", async () => {
    const stream = await client.images.generate({
      model: "demo-image",
      prompt: "a boat",
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    let tokens = 0;
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "image_generation.completed") tokens = event.usage.output_tokens;
    }
    expect(types).toEqual([
      "image_generation.partial_image",
      "image_generation.partial_image",
      "image_generation.completed",
    ]);
    expect(tokens).toBeGreaterThan(0);
    expect(await nextRow()).toMatchObject({ completion_tokens: tokens, estimated: false, is_stream: true });
  });

  it("can be edits that are requested with a form", async () => {
    const stream = await client.images.edit({
      model: "demo-image",
      prompt: "a red boat",
      image: picture(),
      stream: true,
      partial_images: 1,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(["image_edit.partial_image", "image_edit.completed"]);
    expect(await nextRow()).toMatchObject({
      endpoint: "/v1/images/edits",
      estimated: false,
      is_stream: true,
    });
  });

  it("can be variations", async () => {
    const answer = await client.images.createVariation({ model: "demo-image", image: picture() });
    expect(answer.data).toHaveLength(1);
    expect(await nextRow()).toMatchObject({ endpoint: "/v1/images/variations", estimated: false });
  });

  it("are charged as reserved and marked as estimated without usage, never by their bytes", async () => {
    await raw("/images/generations", { model: "demo-image", prompt: "[[no-usage]] a boat", stream: true });
    expect(await nextRow()).toMatchObject({ estimated: true, completion_tokens: 6_240 });
  });

  it("that break off end as broken, and an error event ends them", async () => {
    const requested = { model: "demo-image", stream: true, partial_images: 2 };
    await expect(raw("/images/generations", { ...requested, prompt: "[[cut=1]] x" })).rejects.toThrow();
    expect((await nextRow()).outcome).toBe("upstream-died");
    const text = await raw("/images/generations", { ...requested, prompt: "[[error-mid-stream=1]] x" });
    expect(text).toContain("event: error");
    expect((await nextRow()).outcome).toBe("upstream-died");
  });
});

describe("a streamed transcript", () => {
  it("arrives word by word, billed by the provider's tokens", async () => {
    const stream = await client.audio.transcriptions.create({
      model: "demo-transcribe",
      file: sound(),
      stream: true,
    });
    let text = "";
    let whole = "";
    for await (const event of stream) {
      if (event.type === "transcript.text.delta") text += event.delta;
      if (event.type === "transcript.text.done") whole = event.text;
    }
    expect(text).toBe(whole);
    const row = await nextRow();
    expect(row).toMatchObject({ prompt_tokens: 30, estimated: false });
    expect(row.bill?.lines).toContainEqual(
      expect.objectContaining({ kind: "input_audio_tokens", amount: 30 }),
    );
  });

  it("is billed by its seconds when the provider reports those", async () => {
    const stream = await client.audio.transcriptions.create({
      model: "demo-whisper",
      file: sound(),
      stream: true,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.at(-1)).toBe("transcript.text.done");
    expect(await nextRow()).toMatchObject({ prompt_tokens: 30, completion_tokens: 0, estimated: false });
  });

  it("is billed by the file's length and the gateway's count when the provider reports no usage", async () => {
    const answer = await client.audio.transcriptions.create({
      model: "demo-transcribe",
      file: sound(),
      stream: true,
      prompt: "[[no-usage]]",
    });
    let letters = 0;
    for await (const event of answer)
      if (event.type === "transcript.text.delta") letters += event.delta.length;
    const row = await nextRow();
    expect(row).toMatchObject({ estimated: true, completion_tokens: Math.ceil(letters / 4) });
    // 96 kB without a header: assumed 64 kbit/s, ten tokens per second.
    expect(row.prompt_tokens).toBeGreaterThanOrEqual(12 * 10);
    expect(row.prompt_tokens).toBeLessThan(12 * 12);
    const subtitles = await client.audio.transcriptions.create({
      model: "demo-whisper",
      file: sound(),
      response_format: "vtt",
    });
    expect(subtitles).toContain("WEBVTT");
    expect(await nextRow()).toMatchObject({ estimated: true });
  });
});

describe("speech", () => {
  it("is streamed with its usage", async () => {
    const text = await raw("/audio/speech", {
      model: "demo-tts",
      input: "Hello there, boat",
      voice: "alloy",
      stream_format: "sse",
    });
    expect(text).toContain("speech.audio.delta");
    const row = await nextRow();
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.estimated).toBe(false);
  });
});

describe("the last event", () => {
  it("is sent after the bill, and the ones before it immediately", async () => {
    const response = await client.images
      .generate({
        model: "demo-image",
        prompt: "[[chunk-delay=1000]] a boat",
        stream: true,
        partial_images: 1,
      })
      .asResponse();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = "";
    let workedOn = false;
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      // The draft was sent without waiting for what followed it.
      if (!workedOn && text.endsWith("\n\n")) workedOn = gateway.upstream.calls()[0]?.endedAt === undefined;
      if (text.includes("image_generation.completed") && text.endsWith("\n\n"))
        expect(
          await gateway.database.db.reservation.count({
            // The node's lease is not a call.
            where: { request_id: { not: { startsWith: "lease-" } } },
          }),
        ).toBe(0);
    }
    expect(workedOn).toBe(true);
    await nextRow();
    expect(await gateway.drift()).toBe(0n);
  });
});
