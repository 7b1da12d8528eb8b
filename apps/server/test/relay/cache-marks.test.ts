import type { AgentSession } from "@gateway/shared/usage/session";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Marks for a provider's prompt cache that the gateway adds to the calls of a session. */
let gateway: TestGateway;
let key: string;
let tokenId: number;
let channel: number;
const ANTHROPIC = 14;

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ id: channel } = await gateway.addChannel({
    type: ANTHROPIC,
    name: "a",
    models: ["claude-sonnet-4-5"],
    base_url: gateway.upstream.url,
    key: "demo-marks-a",
  }));
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key, id: tokenId } = await gateway.addToken());
});
afterAll(() => gateway.stop());

/** Three of them stay below 64 KB. Larger bodies are parsed in another way, and their texts have other checksums. */
const long = (name: string) => `${name} `.repeat(1_200);
const tool = { name: "run", description: long("tool"), input_schema: { type: "object", properties: {} } };

type Headers = Record<string, string>;

/** Sends calls of one session, and returns the places of the marks in each request that the provider received. */
async function session(path: string, calls: number, headers: Headers, fields: object) {
  const messages: object[] = [];
  for (let call = 0; call < calls; call += 1) {
    messages.push({ role: "user", content: long(`result ${call}`) });
    const answer = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 20, messages, ...fields }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    messages.push({ role: "assistant", content: `answer ${call}` });
  }
  return gateway.upstream.calls().map(({ body }) => {
    const { system, messages: sent } = body as { system?: unknown; messages: object[] };
    const isMarked = (value: unknown) => JSON.stringify(value ?? "").includes('"cache_control"');
    return [
      ...(isMarked(system) ? ["system"] : []),
      ...sent.flatMap((message, at) => (isMarked(message) ? [at] : [])),
    ];
  });
}

const followed = [
  ["system", 0],
  ["system", 0, 2],
  ["system", 2, 4],
];

describe("marks for a prompt cache", () => {
  it("follow the session of a client of Messages that sets none", async () => {
    const fields = { system: long("system"), tools: [tool] };
    expect(await session("/v1/messages", 3, { "x-session-id": "m1" }, fields)).toEqual(followed);
    const [last] = await gateway.logs(3, tokenId);
    expect(last?.bill?.marks).toBe(3);
    await expect
      .poll(async () => (await gateway.api<AgentSession>("GET", "/log/session?id=m1")).totals.cached)
      .toBeGreaterThan(10_000);
  });

  it("follow the session of a client of Chat Completions", async () => {
    const functions = [{ type: "function", function: { name: "run", parameters: tool.input_schema } }];
    const answers = await session("/v1/chat/completions", 2, { "x-session-id": "c1" }, { tools: functions });
    expect(answers).toEqual([[0], [0, 2]]);
  });

  it("are not added to those of a client", async () => {
    const system = [{ type: "text", text: long("system"), cache_control: { type: "ephemeral" } }];
    const own = await session("/v1/messages", 2, { "x-session-id": "m2" }, { system, tools: [tool] });
    expect(own).toEqual([["system"], ["system"]]);
    const [last] = await gateway.logs(2, tokenId);
    expect(last?.bill?.marks).toBeUndefined();
  });

  it("are off by a header, by the channel and by the group", async () => {
    const fields = { system: long("system"), tools: [tool] };
    const none = [[], []];
    expect(
      await session("/v1/messages", 2, { "x-session-id": "m3", "x-prompt-cache": "off" }, fields),
    ).toEqual(none);
    gateway.upstream.control.reset();
    await gateway.api("PUT", "/channel", { id: channel, cache_marks: false });
    await expect
      .poll(async () => {
        gateway.upstream.control.reset();
        return session("/v1/messages", 2, { "x-session-id": `m4-${Math.random()}` }, fields);
      })
      .toEqual(none);
    await gateway.api("PUT", "/channel", { id: channel, cache_marks: true });
    const groups = await gateway.api<{ data: { id: number; symbol: string }[] }>("GET", "/user_group");
    const { id } = groups.data.find(({ symbol }) => symbol === "default")!;
    await gateway.api("PUT", "/user_group", { id, cache_marks: false });
    await expect
      .poll(async () => {
        gateway.upstream.control.reset();
        return session("/v1/messages", 2, { "x-session-id": `m5-${Math.random()}` }, fields);
      })
      .toEqual(none);
  });
});
