import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** What agents and programs beside them see of the limits of a key. */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "a", models: ["dear"] });
  await gateway.addPrice("dear", { input: 100, output: 100 });
});
afterAll(() => gateway.stop());

interface Usage {
  isValid: boolean;
  planName: string;
  remaining: number;
  used: number;
  total: number;
  balance: number;
  unit: string;
  text: string;
  limits: { type: string; scope: string; remaining: number; resets_at: string | null }[];
}

async function usageOf(key: string, path = "/v1/usage"): Promise<Usage> {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as Usage;
}

function send(key: string, path: string, body: object = {}) {
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "dear",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hi" }],
      ...body,
    }),
  });
}

describe("GET /v1/usage", () => {
  it("shows the limit with the least left, after each call", async () => {
    const { key } = await gateway.addToken({
      setting: { rates: { daily_spend: 500_000, monthly_spend: 5_000_000 } },
    });
    const before = await usageOf(key);
    expect(before).toMatchObject({
      isValid: true,
      planName: "Daily limit of the key",
      remaining: 1,
      used: 0,
      total: 1,
      unit: "USD",
      text: "$1.00 of $1.00 left today",
    });
    expect((await send(key, "/v1/chat/completions")).status).toBe(200);
    const after = await usageOf(key);
    expect(after.used).toBeGreaterThan(0);
    expect(after.remaining).toBeCloseTo(1 - after.used, 6);
    const day = after.limits.find(({ type }) => type === "day");
    expect(Date.parse(day?.resets_at ?? "")).toBeGreaterThan(Date.now());
    expect(after.limits.map(({ type }) => type).sort()).toEqual(["balance", "day", "month"]);
  });

  it("shows the quota of a key, and the smaller of the owner's and the operator's limits", async () => {
    const { key, id } = await gateway.addToken({ unlimited_quota: false, remain_quota: 2_500_000 });
    expect(await usageOf(key)).toMatchObject({ planName: "Key quota", remaining: 5, total: 5 });
    await gateway.api("PUT", `/token/admin/${id}/budget`, { budget: { weekly_spend: 1_000_000 } });
    expect(await usageOf(key)).toMatchObject({ planName: "Weekly limit of the key", remaining: 2 });
  });

  it("has the form and path of cc-switch's general template, too", async () => {
    const { key } = await gateway.addToken();
    for (const path of ["/user/balance", "/v1/user/balance", "/usage"]) {
      const usage = await usageOf(key, path);
      expect(usage).toMatchObject({ is_active: true, planName: "Balance", remaining: usage.balance });
    }
    expect((await fetch(`${gateway.url}/v1/usage`)).status).toBe(401);
  });
});

describe("the limits of rates", () => {
  it("are in the headers of the client's dialect", async () => {
    const { key } = await gateway.addToken({
      setting: { rates: { requests_per_minute: 30, tokens_per_minute: 90_000 } },
    });
    const messages = (await send(key, "/v1/messages")).headers;
    expect(messages.get("anthropic-ratelimit-requests-limit")).toBe("30");
    expect(messages.get("anthropic-ratelimit-requests-remaining")).toBe("29");
    expect(messages.get("anthropic-ratelimit-tokens-limit")).toBe("90000");
    const reset = messages.get("anthropic-ratelimit-requests-reset") ?? "";
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(reset)).toBeGreaterThan(Date.now() - 1_000);
    const chat = (await send(key, "/v1/chat/completions")).headers;
    expect(chat.get("x-ratelimit-limit-requests")).toBe("30");
    expect(chat.get("anthropic-ratelimit-requests-limit")).toBeNull();
  });
});

describe("the error of a limit", () => {
  const messageOf = async (response: Response) => {
    const { error } = (await response.json()) as { error: { message: string } };
    return error.message;
  };

  it("names the limit, its reset, and where to have more if the site has an address", async () => {
    const { key } = await gateway.addToken({ setting: { rates: { daily_spend: 1 } } });
    const without = await send(key, "/v1/messages");
    expect(without.status).toBe(402);
    expect(await messageOf(without)).not.toContain("http");
    await gateway.api("PUT", "/option", { key: "ServerAddress", value: "https://ai.example.com" });
    for (const path of ["/v1/messages", "/v1/chat/completions"]) {
      const message = await messageOf(await send(key, path));
      expect(message).toMatch(/daily spending limit of this API key is \$\S+.* resets at \d{4}-\d\d-\d\d/);
      expect(message).toContain("Change the limits of the key at https://ai.example.com/panel/token");
    }
    const { key: slow } = await gateway.addToken({ setting: { rates: { requests_per_minute: 1 } } });
    expect((await send(slow, "/v1/messages")).status).toBe(200);
    const limited = await send(slow, "/v1/messages");
    expect(limited.status).toBe(429);
    expect(await messageOf(limited)).toContain("https://ai.example.com/panel/token");
  });
});
