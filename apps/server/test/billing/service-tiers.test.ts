import type { Explanation } from "@gateway/shared/usage/explain";
import type { LogPage, LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replay } from "#domain/pricing/replay.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/** Calls are billed by the service tier in the provider's response, not by the requested one. */
let gateway: TestGateway;
let raw: RawUpstream;
let key: string;

beforeAll(async () => {
  [gateway, raw] = await Promise.all([startTestGateway(), startRawUpstream()]);
  const extra_ratios = { "tier:flex": 0.5, "tier:priority": 2, "tier:fast": 3 };
  for (const model of ["tiered", "tiered-claude", "tiered-gemini"])
    await gateway.addPrice(model, { output: 4, extra_ratios });
  await gateway.addChannel({ type: 1, base_url: raw.url, name: "openai", models: ["tiered"] });
  await gateway.addPrice("untiered-claude", { output: 4 });
  const models = ["tiered-claude", "untiered-claude"];
  await gateway.addChannel({ type: 14, base_url: raw.url, name: "claude", models });
  await gateway.addChannel({ type: 25, base_url: raw.url, name: "gemini", models: ["tiered-gemini"] });
  ({ key } = await gateway.addToken());
});
afterAll(async () => {
  await gateway.stop();
  await raw.close();
});

function answerWith(body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  const lines = { "content-length": String(text.length), ...headers };
  raw.play({ chunks: [head("application/json", lines), text], ending: "end" });
}

function streamOf(...events: object[]): void {
  const text = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"];
  raw.play({ chunks: [head("text/event-stream", {}), ...text], ending: "end" });
}

async function bill(path: string, body: object, as = key): Promise<LogRow> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  await answer.text();
  const { data } = await gateway.api<LogPage>("GET", "/log?size=1");
  const [row] = data;
  if (row === undefined) throw new Error("The call is not in the log.");
  return row;
}

const chat = (model: string, more: object = {}) => ({
  model,
  max_tokens: 50,
  messages: [{ role: "user", content: "Hello" }],
  ...more,
});
const whole = (tier?: string) => ({
  id: "c",
  object: "chat.completion",
  model: "tiered",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  service_tier: tier,
});
const claude = (usage: object) => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "tiered-claude",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 100, output_tokens: 10, ...usage },
});

const geminiAnswer = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
};

describe("service tier of a call", () => {
  it("is the tier in the response, not the requested one", async () => {
    answerWith(whole("flex"));
    expect((await bill("/v1/chat/completions", chat("tiered"))).quota).toBe(70);
    answerWith(whole("default"));
    const row = await bill("/v1/chat/completions", chat("tiered", { service_tier: "priority" }));
    expect([row.quota, row.bill?.service_tier]).toEqual([140, undefined]);
    answerWith(whole());
    expect((await bill("/v1/chat/completions", chat("tiered", { service_tier: "flex" }))).quota).toBe(140);
  });

  it("is not requested when the price has no multiplier for it, and the response shows that", async () => {
    const requested: [string, object, string][] = [
      ["/v1/chat/completions", chat("tiered", { service_tier: "scale" }), "service_tier"],
      ["/v1/chat/completions", chat("tiered", { service_tier: "PRIORITY " }), "service_tier"],
      ["/v1/messages", chat("untiered-claude", { speed: "fast" }), "speed"],
      [
        "/v1beta/models/tiered-gemini:generateContent",
        { contents: [{ role: "user", parts: [{ text: "Hello" }] }], serviceTier: "ultra" },
        "serviceTier",
      ],
    ];
    const replies = [whole(), whole(), claude({}), geminiAnswer];
    for (const [index, [path, body, field]] of requested.entries()) {
      answerWith(replies[index] ?? {});
      const answer = await fetch(gateway.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(answer.status, await answer.text()).toBe(200);
      expect(answer.headers.get("x-gateway-dropped"), path).toBe(field);
    }
  });

  it("is read from streams and through a translation", async () => {
    const chunk = { id: "c", object: "chat.completion.chunk", model: "tiered", service_tier: "priority" };
    const events = [
      {
        ...chunk,
        choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      },
      { ...chunk, choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
    ];
    streamOf(...events);
    expect((await bill("/v1/chat/completions", chat("tiered", { stream: true }))).quota).toBe(280);
    streamOf(...events);
    expect((await bill("/v1/messages", chat("tiered", { stream: true }))).quota).toBe(280);
    answerWith(whole("priority"));
    expect((await bill("/v1/messages", chat("tiered"))).quota).toBe(280);
  });

  it("can be a speed, or be in a response header", async () => {
    answerWith(claude({ service_tier: "standard", speed: "fast" }));
    expect((await bill("/v1/messages", chat("tiered-claude", { speed: "fast" }))).quota).toBe(420);
    answerWith(claude({ service_tier: "standard" }));
    expect((await bill("/v1/chat/completions", chat("tiered-claude"))).quota).toBe(140);
    answerWith(claude({ service_tier: "standard", speed: "fast" }));
    expect((await bill("/v1/chat/completions", chat("tiered-claude"))).quota).toBe(420);
    answerWith(geminiAnswer, { "x-gemini-service-tier": "priority" });
    const requested = { contents: [{ role: "user", parts: [{ text: "Hello" }] }], service_tier: "priority" };
    expect((await bill("/v1beta/models/tiered-gemini:generateContent", requested)).quota).toBe(280);
  });

  it("applies to a cached response", async () => {
    await gateway.api("PUT", "/option", { key: "AnswerCachePercent", value: 100 });
    const setting = { cache: { enabled: true } };
    const remembering = await gateway.addToken({ name: "remembering", setting });
    const body = { contents: [{ role: "user", parts: [{ text: "Hello again" }] }] };
    const path = "/v1beta/models/tiered-gemini:generateContent";
    answerWith(geminiAnswer, { "x-gemini-service-tier": "priority" });
    expect((await bill(path, body, remembering.key)).quota).toBe(280);
    const again = await bill(path, body, remembering.key);
    expect([again.cache_hit, again.quota, again.bill?.service_tier?.name]).toEqual([true, 280, "priority"]);
  });

  it("is explained, and can be recomputed from the log alone", async () => {
    answerWith(whole("flex"));
    const row = await bill("/v1/chat/completions", chat("tiered"));
    const explained = await gateway.api<Explanation>("GET", `/log/${row.id}/explain`);
    expect(explained).toMatchObject({
      service_tier: { name: "flex", ratio: "0.5" },
      points: 70,
      agrees: true,
    });
    expect(explained.lines.map((line) => [line.kind, line.ratio])).toEqual([
      ["input", "0.5"],
      ["output", "2"],
    ]);
    const result = await replay(gateway.database.pool, new Date(0), new Date(Date.now() + 60_000));
    expect(result.differences).toEqual([]);
    expect(result.checked).toBeGreaterThan(5);
  });
});

it("rejects a multiplier that is too large for a bill", async () => {
  const price = { model: "fine", type: "tokens", channel_type: 1, input: 1, output: 1 };
  const extra_ratios = { "tier:flex": 0.12345 };
  await expect(gateway.api("POST", "/prices/single", { ...price, extra_ratios })).rejects.toThrow(
    /4 decimals/,
  );
});
