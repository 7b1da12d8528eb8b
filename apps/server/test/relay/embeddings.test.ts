import { once } from "node:events";
import { createServer } from "node:http";
import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Embeddings for Google's and OpenAI's clients, from providers of both formats, and their cost. */
let gateway: TestGateway;
let key: string;
let google: GoogleGenAI;

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [name, type] of [
    ["native", 25],
    ["translated", 1],
  ] as const) {
    await gateway.addChannel({ type, name, models: [name], model_mapping: { [name]: "+demo-embed" } });
    await gateway.addPrice(name);
  }
  key = (await gateway.addToken()).key;
  google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
});
afterAll(() => gateway.stop());

async function post(path: string, body: unknown) {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-goog-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as {
    embedding?: { values: number[] };
    embeddings?: { values: number[] }[];
    error?: { message: string; status: string };
  };
  return { status: response.status, headers: response.headers, ...answer };
}

const lastCall = () => gateway.upstream.calls().at(-1);
const content = (text: string) => ({ parts: [{ text }] });

describe.each(["native", "translated"])("Google's client at a %s provider", (model) => {
  it("embeds one text and several, in their order", async () => {
    const { embeddings } = await google.models.embedContent({
      model,
      contents: ["a boat", "a tree", "a boat"],
    });
    expect(embeddings).toHaveLength(3);
    expect(embeddings?.[0]?.values).toEqual(embeddings?.[2]?.values);
    expect(embeddings?.[0]?.values).not.toEqual(embeddings?.[1]?.values);
    const one = await google.models.embedContent({ model, contents: "a boat" });
    const [first] = one.embeddings ?? [];
    for (const [index, value] of (first?.values ?? []).entries())
      expect(value).toBeCloseTo(embeddings?.[0]?.values?.[index] ?? Number.NaN, 5);
    expect(lastCall()?.path).toBe(
      model === "native" ? "/v1beta/models/demo-embed:batchEmbedContents" : "/v1/embeddings",
    );
  });

  it("gets vectors of the requested size, and the names of dropped fields", async () => {
    const { embeddings } = await google.models.embedContent({
      model,
      contents: "a boat",
      config: { outputDimensionality: 8, taskType: "RETRIEVAL_QUERY" },
    });
    expect(embeddings?.[0]?.values).toHaveLength(8);
    const answer = await post(`/gemini/v1beta/models/${model}:embedContent`, {
      content: content("a boat"),
      output_dimensionality: 8,
      taskType: "RETRIEVAL_DOCUMENT",
      title: "Boats",
    });
    expect(answer.embedding?.values).toHaveLength(8);
    expect(answer.headers.get("x-gateway-dropped")).toBe(model === "native" ? null : "taskType, title");
    expect(JSON.stringify(lastCall()?.body).includes("RETRIEVAL_DOCUMENT")).toBe(model === "native");
  });

  it("is charged by the provider's count, otherwise by the gateway's count, which is marked", async () => {
    const answer = await post(`/v1beta/models/${model}:embedContent`, {
      content: content("a boat on the sea"),
    });
    expect(answer.headers.get("x-gateway-estimated")).toBe(model === "native" ? "tokens" : null);
    const [row] = await gateway.logs();
    expect(row).toMatchObject({
      endpoint: "/v1beta/models/:embedContent",
      model_name: model,
      completion_tokens: 0,
      estimated: model === "native",
      outcome: "complete",
    });
    expect(row?.prompt_tokens).toBeGreaterThan(3);
    expect(row?.quota).toBeGreaterThan(0);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("an invalid embedding request", () => {
  it.each([
    ["embedContent", {}, "content"],
    ["embedContent", { content: { parts: [] } }, "content.parts"],
    ["embedContent", { content: content("a"), outputDimensionality: 0 }, "outputDimensionality"],
    ["batchEmbedContents", { requests: [] }, "requests"],
    ["batchEmbedContents", { requests: [{ content: content("a") }, {}] }, "requests.1.content"],
  ])("is rejected by %s with the field (%j)", async (action, body, path) => {
    const { status, error } = await post(`/v1beta/models/native:${action}`, body);
    expect(status).toBe(400);
    expect(error).toMatchObject({ status: "INVALID_ARGUMENT" });
    // Named once, with or without quotation marks.
    expect(error?.message.split(path)).toHaveLength(2);
  });

  it("reports what a provider of the other format does not support", async () => {
    const image = { inlineData: { mimeType: "image/png", data: "AA==" } };
    const picture = await post("/v1beta/models/translated:embedContent", { content: { parts: [image] } });
    expect(picture.status).toBe(400);
    expect(picture.error?.message).toContain("only embed text");
    const sizes = await post("/v1beta/models/translated:batchEmbedContents", {
      requests: [
        { content: content("a"), outputDimensionality: 4 },
        { content: content("b"), outputDimensionality: 8 },
      ],
    });
    expect(sizes.status).toBe(400);
  });

  it("for a model that no channel serves costs nothing", async () => {
    expect((await post("/v1beta/models/nobody:embedContent", { content: content("a") })).status).toBe(404);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("OpenAI's client", () => {
  it("is served by Google's own endpoint for it", async () => {
    const received: string[] = [];
    const upstream = createServer((incoming, response) => {
      received.push(`${incoming.url} ${incoming.headers.authorization}`);
      const body = {
        object: "list",
        model: "gemini-embedding-2",
        data: [{ object: "embedding", index: 0, embedding: [0.5, -0.25] }],
        usage: { prompt_tokens: 3, total_tokens: 3 },
      };
      incoming.resume().on("end", () => {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const { port } = upstream.address() as { port: number };
    const models = ["gemini-embedding-2"];
    await gateway.addChannel({ type: 25, name: "google", models, base_url: `http://127.0.0.1:${port}` });
    const made = await gateway
      .openai(key)
      .embeddings.create({ model: "gemini-embedding-2", input: "a boat" });
    expect(made.data[0]?.embedding).toEqual([0.5, -0.25]);
    expect(received).toEqual(["/v1beta/openai/embeddings Bearer provider-key"]);
    expect((await gateway.logs())[0]).toMatchObject({ prompt_tokens: 3, estimated: false });
    upstream.close();
  });

  it.each(["native", "translated"])(
    "gets the requested format and size from a %s provider",
    async (model) => {
      // Uses the provider's own endpoint for OpenAI's clients. The simulated one is at the usual address.
      if (model === "native")
        await gateway.addChannel({
          type: 8,
          name: "compat",
          models: ["compat"],
          model_mapping: { compat: "+demo-embed" },
        });
      const name = model === "native" ? "compat" : model;
      if (model === "native") await gateway.addPrice(name);
      const client = gateway.openai(key);
      const plain = await client.embeddings.create({ model: name, input: "a boat", dimensions: 8 });
      const floats = await client.embeddings.create({
        model: name,
        input: "a boat",
        dimensions: 8,
        encoding_format: "float",
      });
      expect(plain.data[0]?.embedding).toHaveLength(8);
      for (const [index, value] of (plain.data[0]?.embedding ?? []).entries())
        expect(value).toBeCloseTo(floats.data[0]?.embedding[index] ?? Number.NaN, 5);
    },
  );
});
