import type { TokenRates } from "@gateway/shared/accounts/token";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "#test/database.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Limits of one token on two nodes that share a database and Redis. */
let here: TestGateway;
let there: TestGateway;

beforeAll(async () => {
  here = await startTestGateway({ REDIS_URL: redisUrl() });
  there = await startTestGateway({ REDIS_URL: redisUrl() }, here);
  await here.addChannel({ type: 8, name: "provider" });
  const root = await here.api<{ id: number }>("GET", "/user/self");
  await here.api("POST", `/user/quota/${root.id}`, { quota: 500_000_000, remark: "for the tests" });
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

const say = { role: "user", content: "Hello" };
const endpoints = {
  openai: { path: "/v1/chat/completions", body: { model: "demo-chat", max_tokens: 50, messages: [say] } },
  responses: { path: "/v1/responses", body: { model: "demo-chat", max_output_tokens: 50, input: "Hello" } },
  anthropic: { path: "/v1/messages", body: { model: "demo-chat", max_tokens: 50, messages: [say] } },
  gemini: {
    path: "/v1beta/models/demo-chat:generateContent",
    body: {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { maxOutputTokens: 50 },
    },
  },
  interactions: {
    path: "/v1beta/interactions",
    body: { model: "demo-chat", input: "Hello", generation_config: { max_output_tokens: 50 } },
  },
  embeddings: { path: "/v1/embeddings", body: { model: "demo-embedding", input: "Hello" } },
} as const;

async function call(
  key: string,
  node: TestGateway = here,
  endpoint: keyof typeof endpoints = "openai",
  more: object = {},
  signal: AbortSignal | null = null,
): Promise<Answer> {
  const { path, body } = endpoints[endpoint];
  const response = await fetch(node.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, ...more }),
    signal,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function limited(rates: Partial<TokenRates>, name = "limited"): Promise<{ key: string; id: number }> {
  return here.addToken({ name, setting: { rates } });
}

const many = (key: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(key, index % 2 === 0 ? here : there)));

const served = (answers: Answer[]) => answers.filter((answer) => answer.status === 200);

async function failureOf(tokenId: number): Promise<LogRow | undefined> {
  let found: LogRow | undefined;
  await expect
    .poll(async () => {
      found = (await here.logs()).find((row) => row.token_id === tokenId && row.type === 5);
      return found;
    })
    .toBeDefined();
  return found;
}

describe("requests per minute of a token", () => {
  it("are shared by the nodes and returned in headers; another token is not affected", async () => {
    const { key, id } = await limited({ requests_per_minute: 6 });
    const answers = await many(key, 20);
    expect(served(answers)).toHaveLength(6);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.text).toContain("This API key may send 6 requests per minute.");
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused?.headers.get("x-ratelimit-limit-requests")).toBe("6");
    expect(refused?.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const free = await here.addToken();
    expect((await call(free.key)).headers.get("x-ratelimit-limit-requests")).toBe("1000000");
    expect(await failureOf(id)).toMatchObject({
      status: 429,
      error_code: "rate_limit_exceeded",
      content: "This API key may send 6 requests per minute.",
      quota: 0,
    });
  });
});

describe("tokens per minute of a token", () => {
  it("reserve the maximum usage of a call, and release what it did not use", async () => {
    const { key } = await limited({ tokens_per_minute: 1_000 });
    const first = await call(key, here, "openai", { max_tokens: 900 });
    expect(first.status).toBe(200);
    expect(first.headers.get("x-ratelimit-limit-tokens")).toBe("1000");
    expect(Number(first.headers.get("x-ratelimit-remaining-tokens"))).toBeLessThan(100);
    const used = (JSON.parse(first.text) as { usage: { total_tokens: number } }).usage.total_tokens;
    await expect
      .poll(async () => Number((await call(key, there)).headers.get("x-ratelimit-remaining-tokens")))
      .toBeGreaterThan(1_000 - 10 * used - 200);
    const answers = await Promise.all([1, 2, 3].map(() => call(key, there, "openai", { max_tokens: 900 })));
    expect(served(answers).length).toBeLessThanOrEqual(1);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.text).toContain("This API key may use 1000 tokens per minute");
  });
});

describe("concurrent calls of a token", () => {
  it("are counted over all nodes; a call that ends frees its slot", async () => {
    const { key, id } = await limited({ concurrency: 2 });
    const leaving = new AbortController();
    const endless = { messages: [{ role: "user", content: "[[hang]] Hello" }] };
    const open = [1, 2].map(() => call(key, here, "openai", endless, leaving.signal).catch(() => undefined));
    const inProgress = async () =>
      (await here.database.db.token.findUniqueOrThrow({ where: { id } })).open_calls;
    await expect.poll(inProgress).toBe(2);
    const refused = await call(key, there);
    expect(refused.text).toContain("This API key may have 2 calls in progress at the same time.");
    expect(refused.headers.get("retry-after")).toBe("1");
    leaving.abort();
    await Promise.all(open);
    await expect.poll(inProgress).toBe(0);
    expect((await call(key, there)).status).toBe(200);
    expect(await failureOf(id)).toMatchObject({ status: 429, error_code: "rate_limit_exceeded" });
  });
});

describe("a token's spending limit", () => {
  it("is not exceeded by both nodes together, and returns 402 in every dialect", async () => {
    const probe = await here.addToken();
    await call(probe.key);
    const [row] = await here.logs();
    const cost = row?.quota ?? 0;
    expect(cost).toBeGreaterThan(0);
    const limit = cost * 20;
    const { key, id } = await limited({ daily_spend: limit }, "daily");
    let answers = await many(key, 24);
    const rounds = [...answers];
    // Until the rest covers no further call.
    while (served(answers).length > 0) rounds.push(...(answers = await many(key, 24)));
    const spent = cost * served(rounds).length;
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(limit);
    for (const endpoint of ["openai", "responses", "anthropic", "gemini"] as const) {
      const refused = await call(key, there, endpoint);
      expect([endpoint, refused.status]).toEqual([endpoint, 402]);
      expect(refused.text).toContain("daily spending limit");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const token = await here.api<{ day_quota: number; month_quota: number }>("GET", `/token/${id}`);
    expect(token).toMatchObject({ day_quota: spent, month_quota: spent });
    expect(await failureOf(id)).toMatchObject({ status: 402, error_code: "spend_limit_reached", quota: 0 });
    expect(await here.drift()).toBe(0n);
  });
});

describe("a token's quota", () => {
  it("keeps charges that were made while it was edited, unless it is set to a value", async () => {
    const { id, key } = await here.addToken({ unlimited_quota: false, remain_quota: 500_000 });
    const left = async () => (await here.api<{ remain_quota: number }>("GET", `/token/${id}`)).remain_quota;
    const change = (more: object) =>
      here.api("PUT", `/token/${id}`, { name: "edited", unlimited_quota: false, ...more });
    await Promise.all([
      many(key, 20),
      ...Array.from({ length: 20 }, (_, index) => change(index % 2 === 0 ? {} : { add_quota: 1_000 })),
    ]);
    const { used_quota: used } = await here.api<{ used_quota: number }>("GET", `/token/${id}`);
    expect(used).toBeGreaterThan(0);
    expect(await left()).toBe(510_000 - used);
    await change({ remain_quota: 42 });
    expect(await left()).toBe(42);
    await change({ add_quota: -100 });
    expect(await left()).toBe(0);
    await expect(change({ add_quota: 1, remain_quota: 1 })).rejects.toThrow("not both");
  });
});

describe("the budget of an account", () => {
  it("is exact over all nodes and keys, and each dialect contains the reset time", async () => {
    const user = await here.api<{ id: number }>("POST", "/user", {
      username: "budgeted",
      password: "correct horse battery",
      quota: 100_000_000,
    });
    const keys = await Promise.all(
      ["one", "two"].map(async (name) => {
        const { id, key } = await here.addToken({ name });
        await here.database.db.token.update({ where: { id }, data: { user_id: user.id } });
        return key;
      }),
    );
    const [first = "", second = ""] = keys;
    expect((await call(first)).status).toBe(200);
    const budgetOf = async () =>
      here.api<{ uses: { used: number }[] }>("PUT", `/user/${user.id}/budget`, {
        budget: { daily_spend: 600 },
      });
    const spentBefore = (await budgetOf()).uses[0]?.used ?? 0;
    expect(spentBefore).toBeGreaterThan(0);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        call(index % 3 === 0 ? first : second, index % 2 === 0 ? here : there),
      ),
    );
    expect(served(answers).length).toBeGreaterThan(0);
    expect(served(answers).length).toBeLessThan(60);
    await expect
      .poll(async () => (await here.database.db.user.findUniqueOrThrow({ where: { id: user.id } })).reserved)
      .toBe(0n);
    expect((await budgetOf()).uses[0]?.used).toBeLessThanOrEqual(600);
    const exhausted = await here.api("PUT", `/user/${user.id}/budget`, { budget: { daily_spend: 1 } });
    expect(exhausted).toMatchObject({ uses: [{ limit: 1 }] });
    for (const endpoint of ["openai", "responses", "anthropic", "gemini"] as const) {
      const refused = await call(first, there, endpoint);
      expect(refused.status, endpoint).toBe(402);
      expect(refused.text).toContain("Your daily budget is $0.000002");
      expect(refused.text).toMatch(/The budget resets at \d{4}-\d\d-\d\d 00:00 UTC/);
      const wait = Number(refused.headers.get("retry-after"));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(86_400);
    }
  });
});
