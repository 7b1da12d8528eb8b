import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Counting tokens with the official clients: by the vendor where it can, by us where it cannot, and said so. */
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
  it("asks a vendor that speaks Anthropic's dialect", async () => {
    const { data, response } = await gateway
      .anthropic(key)
      .messages.countTokens({ model: "claude-demo", messages })
      .withResponse();
    expect(data.input_tokens).toBeGreaterThan(3);
    expect(response.headers.get("x-gateway-estimated")).toBeNull();
    expect(gateway.vendor.calls().at(-1)?.path).toBe("/v1/messages/count_tokens");
  });

  it("counts itself where the vendor cannot, and says so", async () => {
    const { data, response } = await gateway
      .anthropic(key)
      .messages.countTokens({ model: "demo-chat", messages })
      .withResponse();
    expect(data.input_tokens).toBeGreaterThan(3);
    expect(response.headers.get("x-gateway-estimated")).toBe("tokens");
  });

  it("works for Google's client, natively and not", async () => {
    const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
    for (const model of ["gemini-demo", "demo-chat"])
      expect((await google.models.countTokens({ model, contents: "How many?" })).totalTokens).toBeGreaterThan(
        1,
      );
  });

  it("is free, and refuses a model that nobody serves", async () => {
    expect(await gateway.drift()).toBe(0n);
    expect((await gateway.api<{ used_quota: number }>("GET", "/user/self")).used_quota).toBe(0);
    await expect(
      gateway.anthropic(key).messages.countTokens({ model: "nope", messages }),
    ).rejects.toMatchObject({
      status: 404,
    });
  });
});
