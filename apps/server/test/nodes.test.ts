import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "./database.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";

/** Two nodes on one database and one Redis: what is changed on one holds on the other. */
let here: TestGateway;
let there: TestGateway;

beforeAll(async () => {
  here = await startTestGateway({ REDIS_URL: redisUrl() });
  there = await startTestGateway({ REDIS_URL: redisUrl() }, here);
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

async function call(gateway: TestGateway, key: string): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.text();
  return response.status;
}

/** Waits for this status on the other node. */
const settles = (key: string, wanted: number) =>
  expect.poll(() => call(there, key), { interval: 10 }).toBe(wanted);

describe("two nodes", () => {
  it("know each other's channels, tokens and accounts", async () => {
    const { key, id } = await here.addToken();
    expect(await call(there, key)).toBe(404);
    const channel = await here.addChannel({ type: 900, name: "demo" });
    await settles(key, 200);
    await here.api("PATCH", `/channel/${channel.id}`, { status: 2 });
    await settles(key, 404);
    await here.api("PATCH", `/channel/${channel.id}`, { status: 1 });
    await settles(key, 200);
    await here.api("PATCH", `/token/${id}`, { status: 2 });
    await settles(key, 403);
    await here.api("PATCH", `/token/${id}`, { status: 1 });
    await settles(key, 200);
    await here.api("DELETE", `/token/${id}`);
    await settles(key, 401);
  });

  it("share one limit and one balance", async () => {
    const { key } = await here.addToken();
    for (const node of [here, there]) await node.allow(30);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => call(index % 2 === 0 ? here : there, key)),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(30);
    expect(answers.filter((status) => status === 429)).toHaveLength(30);
    expect(await here.drift()).toBe(0n);
  });
});
