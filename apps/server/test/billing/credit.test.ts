import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Chat apps request the remaining credit from OpenAI's old billing endpoints. */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 900, name: "demo", models: ["gpt-4o"] });
});
afterAll(() => gateway.stop());

async function ask<T>(path: string, key: string): Promise<T> {
  const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as T;
}

interface Subscription {
  hard_limit_usd: number;
  access_until: number;
}

const hello = { model: "gpt-4o", messages: [{ role: "user" as const, content: "hello" }] };

it("returns a limited token's own limit and usage, with and without /v1", async () => {
  const expired_time = Math.floor(Date.now() / 1000) + 3_600;
  const token = await gateway.addToken({ unlimited_quota: false, remain_quota: 500_000, expired_time });
  await gateway.openai(token.key).chat.completions.create(hello);
  const [row] = await gateway.logs(1);
  const spent = row?.quota ?? 0;
  expect(spent).toBeGreaterThan(0);
  for (const prefix of ["", "/v1"]) {
    const subscription = await ask<Subscription>(`${prefix}/dashboard/billing/subscription`, token.key);
    expect(subscription).toMatchObject({
      object: "billing_subscription",
      has_payment_method: true,
      soft_limit_usd: 1,
      hard_limit_usd: 1,
      system_hard_limit_usd: 1,
      access_until: expired_time,
    });
    const usage = await ask<{ total_usage: number }>(`${prefix}/dashboard/billing/usage`, token.key);
    expect(usage).toEqual({ object: "list", total_usage: (spent / 500_000) * 100 });
  }
});

it("returns the account's balance for an unlimited token, in points where the site shows points", async () => {
  const { key } = await gateway.addToken({ unlimited_quota: true });
  const { quota, used_quota } = await gateway.api<{ quota: number; used_quota: number }>("GET", "/user/self");
  const inDollars = await ask<Subscription>("/v1/dashboard/billing/subscription", key);
  expect(inDollars).toMatchObject({ hard_limit_usd: (quota + used_quota) / 500_000, access_until: 0 });
  await gateway.api("PUT", "/option", { key: "DisplayInCurrencyEnabled", value: false });
  const inPoints = await ask<Subscription>("/v1/dashboard/billing/subscription", key);
  expect(inPoints.hard_limit_usd).toBe(quota + used_quota);
});

it("rejects a wrong key and a wrong path with the errors of other endpoints, not with an HTML page", async () => {
  expect(await ask("/dashboard/billing/usage", "sk-nothing-of-the-kind-0123456789")).toMatchObject({
    error: { code: "invalid_api_key" },
  });
  expect(await ask("/dashboard/billing/credits", "sk-nothing-of-the-kind-0123456789")).toMatchObject({
    error: { type: "invalid_request_error" },
  });
});
