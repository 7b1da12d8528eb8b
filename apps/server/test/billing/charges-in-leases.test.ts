import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** A busy key is charged in a lease. Balances and usage are exact after each call, wherever they are read. */
let gateway: TestGateway;
const perCall = 1_000;

interface Row {
  id: number;
  quota: number;
  used_quota: number;
  request_count: number;
}

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "provider" });
  const price = { model: "demo-chat", type: "times", channel_type: 1, input: 1, output: 1 };
  await gateway.api("PUT", "/prices/single/demo-chat", price);
});
afterAll(() => gateway.stop());

type Tokens = { data: { id: number; used_quota: number }[] };

/** Each place that shows what calls have cost. */
const places: Record<string, (own: { key: string; tokenId: number; userId: number }) => Promise<number>> = {
  self: async () => (await gateway.api<Row>("GET", "/user/self")).used_quota,
  users: async ({ userId }) => {
    const { data } = await gateway.api<{ data: Row[] }>("GET", "/user?size=10");
    return data.find((row) => row.id === userId)?.used_quota ?? 0;
  },
  user: async ({ userId }) => (await gateway.api<Row>("GET", `/user/${userId}`)).used_quota,
  tokens: async ({ tokenId }) => {
    const { data } = await gateway.api<Tokens>("GET", "/token?size=10");
    return data.find((row) => row.id === tokenId)?.used_quota ?? 0;
  },
  token: async ({ tokenId }) => (await gateway.api<Row>("GET", `/token/${tokenId}`)).used_quota,
  "tokens of all users": async ({ tokenId }) => {
    const { data } = await gateway.api<Tokens>("GET", "/token/admin/search?size=10");
    return data.find((row) => row.id === tokenId)?.used_quota ?? 0;
  },
  site: async () => {
    const site = await gateway.api<{ user_statistics: { total_used_quota: number } }>(
      "GET",
      "/analytics/statistics",
    );
    return site.user_statistics.total_used_quota;
  },
  client: async ({ key }) => {
    const answer = await fetch(`${gateway.url}/v1/dashboard/billing/usage`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { total_usage: cents } = (await answer.json()) as { total_usage: number };
    return Math.round((cents / 100) * 500_000);
  },
};

it("shows each call in every balance immediately", async () => {
  const { key, id: tokenId } = await gateway.addToken({ unlimited_quota: false, remain_quota: 1_000_000 });
  const before = await gateway.api<Row>("GET", "/user/self");
  const own = { key, tokenId, userId: before.id };
  const client = gateway.openai(key);
  let calls = 0;
  const call = async () => {
    await client.chat.completions.create({
      model: "demo-chat",
      messages: [{ role: "user", content: "Hello" }],
    });
    calls += 1;
  };
  for (let warm = 0; warm < 6; warm += 1) await call();
  expect(await gateway.database.db.reservation.count({ where: { version: { gt: 0 } } })).toBe(1);
  for (const [place, read] of [...Object.entries(places), ...Object.entries(places)]) {
    await call();
    expect(await read(own), place).toBe(calls * perCall);
  }
  const after = await gateway.api<Row>("GET", "/user/self");
  expect(after.quota).toBe(before.quota - calls * perCall);
  expect(after.request_count).toBe(before.request_count + calls);
  expect(await gateway.drift()).toBe(0n);
});
