import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/** Gemini's streams as one JSON array, for clients without SSE and from upstreams without SSE. */
let gateway: TestGateway;
let upstream: RawUpstream;
let key: string;

const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 };
const text = ["Ahoy, ", "{船}⛵ ", '"ü" ]\n'];
const elements = [
  ...text.map((each) => ({
    candidates: [{ content: { role: "model", parts: [{ text: each }] }, index: 0 }],
  })),
  {
    candidates: [{ content: { role: "model", parts: [{ text: "!" }] }, index: 0, finishReason: "STOP" }],
    usageMetadata,
  },
];
const whole = `${text.join("")}!`;

beforeAll(async () => {
  gateway = await startTestGateway();
  upstream = await startRawUpstream();
  const models = ["array"];
  await gateway.addChannel({ type: 25, name: "array", models, base_url: upstream.url });
  for (const name of ["events", "other"])
    await gateway.addChannel({
      type: name === "events" ? 25 : 1,
      name,
      models: [name],
      model_mapping: { [name]: "demo-chat" },
    });
  for (const model of ["array", "events", "other"]) await gateway.addPrice(model);
  key = (await gateway.addToken()).key;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

function play(body: string, size: number): void {
  const bytes = Buffer.from(body);
  const count = Math.ceil(bytes.length / size);
  const pieces = Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  upstream.play({ chunks: [head("application/json; charset=UTF-8"), ...pieces], ending: "end" });
}

async function ask(model: string, query: string) {
  const response = await fetch(`${gateway.url}/v1beta/models/${model}:streamGenerateContent${query}`, {
    method: "POST",
    headers: { "x-goog-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Say ahoy." }] }] }),
  });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
}

type Element = { candidates: { content?: { parts?: { text?: string }[] }; finishReason?: string }[] };
const output = (list: Element[]) =>
  list
    .flatMap((each) => each.candidates[0]?.content?.parts ?? [])
    .map((part) => part.text ?? "")
    .join("");

describe("an upstream that returns one array", () => {
  it.each([1, 7, 100_000])("is parsed in chunks of %i bytes, for clients of either format", async (size) => {
    for (const indent of [undefined, 2]) {
      play(JSON.stringify(elements, undefined, indent), size);
      const events = await ask("array", "?alt=sse");
      expect(events).toMatchObject({ status: 200, type: expect.stringContaining("text/event-stream") });
      const lines = [...events.body.matchAll(/^data: (.*)$/gm)].map(
        ([, data = ""]) => JSON.parse(data) as Element,
      );
      expect(lines).toEqual(elements);
      play(JSON.stringify(elements, undefined, indent), size);
      const array = await ask("array", "");
      expect(array).toMatchObject({ status: 200, type: "application/json" });
      const list = JSON.parse(array.body) as Element[];
      expect(output(list)).toBe(whole);
      expect(list.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata });
    }
  });

  it("is parsed for clients of other dialects, and billed by its usage", async () => {
    play(JSON.stringify(elements), 3);
    const stream = await gateway.openai(key).chat.completions.create({
      model: "array",
      messages: [{ role: "user", content: "Say ahoy." }],
      stream: true,
    });
    let received = "";
    for await (const chunk of stream) received += chunk.choices[0]?.delta.content ?? "";
    expect(received).toBe(whole);
    const [row] = await gateway.logs();
    expect(row).toMatchObject({ prompt_tokens: 5, completion_tokens: 7, estimated: false });
  });

  it("fails without a charge when it returns an error, in the array or alone", async () => {
    const error = { error: { code: 400, message: "Bad picture.", status: "INVALID_ARGUMENT" } };
    for (const body of [error, [error]]) {
      play(JSON.stringify(body, null, 2), 9);
      const refused = await ask("array", "?alt=sse");
      expect(JSON.parse(refused.body)).toMatchObject({ error: { message: expect.any(String) } });
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect((await gateway.logs())[0]).toMatchObject({ quota: 0, outcome: "failed" });
    }
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("a client that requests one array", () => {
  it.each(["events", "other"])(
    "gets one from a provider of %s, with the usage in its last element",
    async (model) => {
      const { status, type, body } = await ask(model, "");
      expect({ status, type }).toEqual({ status: 200, type: "application/json" });
      const list = JSON.parse(body) as Element[];
      expect(output(list).length).toBeGreaterThan(0);
      expect(list.at(-1)).toMatchObject({
        candidates: [{ finishReason: "STOP" }],
        usageMetadata: { totalTokenCount: expect.any(Number) },
      });
    },
  );
});
