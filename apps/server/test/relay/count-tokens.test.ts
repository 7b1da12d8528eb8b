import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** Token counts with the official clients: by the provider, or by the gateway, which marks its own counts. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({
    type: 14,
    name: "anthropic",
    models: ["claude-demo"],
    model_mapping: { "claude-demo": "+demo-chat" },
  });
  await gateway.addChannel({
    type: 25,
    name: "gemini",
    models: ["gemini-demo"],
    model_mapping: { "gemini-demo": "+demo-chat" },
  });
  await gateway.addChannel({ type: 8, name: "chat", models: ["demo-chat"] });
  for (const model of ["claude-demo", "gemini-demo"]) await gateway.addPrice(model);
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

const messages = [{ role: "user" as const, content: "How many tokens are in this question?" }];

describe("count_tokens", () => {
  it("calls a provider of Anthropic's dialect", async () => {
    const { data, response } = await gateway
      .anthropic(key)
      .messages.countTokens({ model: "claude-demo", messages })
      .withResponse();
    expect(data.input_tokens).toBeGreaterThan(3);
    expect(response.headers.get("x-gateway-estimated")).toBeNull();
    expect(gateway.upstream.calls().at(-1)?.path).toBe("/v1/messages/count_tokens");
  });

  it("counts in the gateway when the provider cannot, and marks the count", async () => {
    const { data, response } = await gateway
      .anthropic(key)
      .messages.countTokens({ model: "demo-chat", messages })
      .withResponse();
    expect(data.input_tokens).toBeGreaterThan(3);
    expect(response.headers.get("x-gateway-estimated")).toBe("tokens");
  });

  it("counts for a provider of the dialect that has no such endpoint", async () => {
    const model = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
    const plain = "us.amazon.nova-2-lite-v1:0";
    await gateway.addChannel({ type: 32, name: "bedrock", models: [model, plain], key: "us-east-1|key" });
    for (const name of [model, plain]) {
      await gateway.addPrice(name);
      const counted = gateway.anthropic(key).messages.countTokens({ model: name, messages });
      const { data, response } = await counted.withResponse();
      expect(data.input_tokens).toBeGreaterThan(3);
      expect(response.headers.get("x-gateway-estimated")).toBe("tokens");
    }
  });

  it("works for Google's client, natively and translated", async () => {
    const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
    for (const model of ["gemini-demo", "demo-chat"])
      expect((await google.models.countTokens({ model, contents: "How many?" })).totalTokens).toBeGreaterThan(
        1,
      );
  });

  it("is free, and rejects a model that no channel serves", async () => {
    expect(await gateway.drift()).toBe(0n);
    expect((await gateway.api<{ used_quota: number }>("GET", "/user/self")).used_quota).toBe(0);
    await expect(
      gateway.anthropic(key).messages.countTokens({ model: "nope", messages }),
    ).rejects.toMatchObject({
      status: 404,
    });
  });

  it("calls the next channel when one fails, and pauses none", async () => {
    await gateway.addChannel({
      type: 14,
      name: "spare",
      models: ["claude-demo"],
      model_mapping: { "claude-demo": "+demo-chat" },
    });
    const client = gateway.anthropic(key);
    const count = () => client.messages.countTokens({ model: "claude-demo", messages }).withResponse();
    const before = gateway.upstream.calls().length;
    gateway.upstream.control.set({ status: 503, times: 1 });
    expect((await count()).response.headers.get("x-gateway-estimated")).toBeNull();
    const requested = gateway.upstream.calls().slice(before);
    expect(requested.map(({ path }) => path)).toEqual(Array(2).fill("/v1/messages/count_tokens"));
    gateway.upstream.control.set({ status: 401 });
    for (let times = 0; times < 5; times += 1)
      expect((await count()).response.headers.get("x-gateway-estimated")).toBe("tokens");
    gateway.upstream.control.reset();
    const answer = await client.messages
      .create({ model: "claude-demo", max_tokens: 8, messages })
      .withResponse();
    const [row] = await gateway.logs();
    expect(row).toMatchObject({ type: 2, paused: [] });
    expect(answer.data.usage.input_tokens).toBeGreaterThan(0);
  });

  it("creates no log row and no reservation, and is counted in the metrics", async () => {
    const before = (await gateway.logs()).length;
    await gateway.anthropic(key).messages.countTokens({ model: "claude-demo", messages });
    expect((await gateway.logs()).length).toBe(before);
    const { rows } = await gateway.database.pool.query("SELECT 1 FROM reservations");
    expect(rows).toEqual([]);
    const metrics = await fetch(`${gateway.url}/metrics`, {
      headers: { authorization: `Bearer ${testAccessToken}` },
    });
    expect(await metrics.text()).toMatch(
      /gateway_calls_total\{endpoint="\/v1\/messages\/count_tokens",status="200"\} [1-9]/,
    );
  });
});
