import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { UserGroupPage } from "@gateway/shared/channels/group";
import type { Explanation } from "@gateway/shared/usage/explain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Prices, ratios of groups and accounts that change while calls run: a call costs what it cost when it began. */
let gateway: TestGateway;
let other: TestGateway;
let upstream: Server;
let key: string;
/** Resolves when the provider may finish its responses. */
let released: Promise<void> = Promise.resolve();

const usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 };

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume();
    void (async () => {
      await once(request, "end");
      response.writeHead(200, { "content-type": "text/event-stream" });
      const frame = (fields: object) => response.write(`data: ${JSON.stringify({ id: "c", ...fields })}\n\n`);
      frame({ choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] });
      await released;
      frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      frame({ choices: [], usage });
      response.end("data: [DONE]\n\n");
    })();
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const address = upstream.address();
  const port = typeof address === "object" ? address?.port : 0;
  gateway = await startTestGateway();
  other = await startTestGateway({}, gateway);
  const base_url = `http://127.0.0.1:${port}`;
  for (const model of ["steady", "storm", "gone", "moved"])
    await gateway.addChannel({ type: 8, name: model, base_url, models: [model], groups: ["default", "vip"] });
  ({ key } = await gateway.addToken());
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
  upstream.close();
});

const request = (model: string) => ({
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify({
    model,
    stream: true,
    max_tokens: 10,
    messages: [{ role: "user", content: "Hello ".repeat(1_000) }],
  }),
});

/** Begins a call on a node. Returns, after its first bytes, a function that reads the rest. */
async function begin(model: string, node = gateway) {
  const answer = await fetch(`${node.url}/v1/chat/completions`, request(model));
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  await reader.read();
  return async () => {
    while (!(await reader.read()).done);
  };
}

function pauseProvider(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  released = promise;
  return resolve;
}

const price = (model: string, input: number) => ({
  model,
  type: "tokens",
  channel_type: 1,
  input,
  output: input,
});
const setPrice = (model: string, input: number) =>
  gateway.api("PUT", `/prices/single/${model}`, price(model, input));

async function groupOf(symbol: string) {
  const { data } = await gateway.api<z.infer<typeof UserGroupPage>>("GET", "/user_group?size=100");
  const group = data.find((each) => each.symbol === symbol);
  if (group === undefined) throw new Error(`No group ${symbol}`);
  return group;
}

async function setRatio(ratio: number): Promise<void> {
  const group = await groupOf("default");
  await gateway.api("PUT", `/user_group/${group.id}`, { ratio });
}

/** Waits until both nodes charge these ratios for the next call. */
async function applied(model: string, input: string, group: string): Promise<void> {
  for (const node of [gateway, other])
    await expect
      .poll(
        async () => {
          await (
            await begin(model, node)
          )();
          const [row] = await gateway.logs();
          return [row?.bill?.lines[0]?.ratio, row?.bill?.group_ratio];
        },
        { timeout: 20_000 },
      )
      .toEqual([input, group]);
}

const explain = (id: string) => gateway.api<Explanation>("GET", `/log/${id}/explain`);

describe("a change during a call", () => {
  it("of price and ratio applies from the next call on, on every node", async () => {
    await gateway.addPrice("steady", { input: 2, output: 2 });
    await applied("steady", "2", "1");
    const release = pauseProvider();
    const calls = await Promise.all([begin("steady"), begin("steady", other)]);
    await setPrice("steady", 500);
    await setRatio(7);
    const before = (await gateway.logs()).length;
    release();
    await Promise.all(calls.map((rest) => rest()));
    await expect.poll(async () => (await gateway.logs()).length).toBe(Math.min(100, before + 2));
    for (const row of (await gateway.logs()).slice(0, 2)) {
      expect(row.quota).toBe(2 * usage.total_tokens);
      expect(await explain(row.request_id)).toMatchObject({ agrees: true, group_ratio: "1" });
    }
    await applied("steady", "500", "7");
    await setRatio(1);
    expect(await gateway.drift()).toBe(0n);
  });

  it("of a price that is deleted changes nothing for the call", async () => {
    await gateway.addPrice("gone", { input: 3, output: 3 });
    await applied("gone", "3", "1");
    const release = pauseProvider();
    const rest = await begin("gone", other);
    await gateway.api("DELETE", "/prices/single/gone");
    release();
    await rest();
    const [row] = await gateway.logs();
    expect(row?.quota).toBe(3 * usage.total_tokens);
    expect(await explain(row?.request_id ?? "")).toMatchObject({ agrees: true });
    await expect
      .poll(async () => (await fetch(`${other.url}/v1/chat/completions`, request("gone"))).status)
      .toBe(400);
  });

  it("of the account's group applies from the next call on", async () => {
    await gateway.addPrice("moved", { input: 1, output: 1 });
    const vip = await groupOf("vip");
    await gateway.api("PUT", `/user_group/${vip.id}`, { ratio: 0.5, api_rate: 100_000 });
    await applied("moved", "1", "1");
    const release = pauseProvider();
    const rest = await begin("moved");
    const self = await gateway.api<{ id: number }>("GET", "/user/self");
    await gateway.database.db.user.update({ where: { id: self.id }, data: { group: "vip" } });
    release();
    await rest();
    const [row] = await gateway.logs();
    expect(row).toMatchObject({ group: "default", quota: usage.total_tokens });
    await gateway.database.db.user.update({ where: { id: self.id }, data: { group: "default" } });
    expect(await gateway.drift()).toBe(0n);
  });

  it("is never mixed with the old value, while sixty calls run on two nodes", async () => {
    await gateway.addPrice("storm", { input: 1, output: 1 });
    await applied("storm", "1", "1");
    released = Promise.resolve();
    const before = (await gateway.logs()).length;
    const changes = (async () => {
      for (let round = 1; round <= 8; round += 1) {
        await setPrice("storm", 1 + (round % 2) * 99);
        await setRatio(1 + (round % 3));
      }
    })();
    for (let wave = 0; wave < 6; wave += 1)
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) =>
          (await begin("storm", index % 2 === 0 ? gateway : other))(),
        ),
      );
    await changes;
    await expect.poll(async () => (await gateway.logs()).length).toBe(Math.min(100, before + 60));
    const rows = (await gateway.logs()).slice(0, 60).filter(({ model_name: model }) => model === "storm");
    expect(rows).toHaveLength(60);
    for (const row of rows) {
      const found = await explain(row.request_id);
      expect(found.agrees).toBe(true);
      const input = found.lines[0]?.ratio ?? "";
      expect(["1", "100"]).toContain(input);
      expect(found.lines.every(({ ratio }) => ratio === input)).toBe(true);
      expect(row.quota).toBe(usage.total_tokens * Number(input) * Number(found.group_ratio));
    }
    await setRatio(1);
    expect(await gateway.drift()).toBe(0n);
    expect(await gateway.database.db.reservation.count({ where: { version: 0 } })).toBe(0);
  });

  it.each([-1, 1e308, "NaN", null])("cannot make a ratio or a price %s", async (value) => {
    const group = await groupOf("default");
    await expect(gateway.api("PUT", `/user_group/${group.id}`, { ratio: value })).rejects.toThrow("400");
    await expect(
      gateway.api("PUT", "/prices/single/storm", { ...price("storm", 1), output: value }),
    ).rejects.toThrow("400");
  });
});
