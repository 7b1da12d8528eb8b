import type { LogPage } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Calls of one agent session use the channel and key that served it last. */
let gateway: TestGateway;
let key: string;
const channels: number[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const name of ["a", "b", "c"]) {
    const { id } = await gateway.addChannel({
      type: 8,
      name,
      key: `${name}-1\n${name}-2`,
      models: ["demo-chat"],
    });
    channels.push(id);
  }
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key } = await gateway.addToken());
});
afterAll(() => gateway.stop());

async function send(headers: Record<string, string>, fields: object = {}, path = "/v1/chat/completions") {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "demo-chat",
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi" }],
      ...fields,
    }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
}

/** Returns the keys of upstream calls since the last reset. */
const used = () => new Set(gateway.upstream.calls().map((call) => call.key));

const tools = [
  { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
];
const agents: [string, Record<string, string>, object][] = [
  ["Claude Code's header", { "x-claude-code-session-id": "s1" }, {}],
  ["Codex's header", { session_id: "s2" }, {}],
  ["a header of any client", { "x-session-id": "s3" }, {}],
  ["prompt_cache_key", {}, { prompt_cache_key: "s4" }],
  ["metadata.user_id", {}, { metadata: { user_id: "s5" } }],
  ["the beginning of a conversation with tools", {}, { tools }],
  [
    "that of a long one",
    {},
    { tools, messages: [{ role: "user", content: 'a "long" text '.repeat(8_000) }] },
  ],
];

describe("a session", () => {
  it.each(agents)("identified by %s stays on its channel and key", async (_name, headers, fields) => {
    for (let call = 0; call < 12; call += 1) await send(headers, fields);
    expect(used().size).toBe(1);
  });

  it("differs for another id, and calls without an id are distributed", async () => {
    for (let call = 0; call < 30; call += 1) await send({ "x-session-id": `other-${call}` });
    expect(used().size).toBeGreaterThan(1);
    gateway.upstream.control.reset();
    for (let call = 0; call < 30; call += 1) await send({});
    expect(used().size).toBeGreaterThan(1);
  });

  it("moves when its channel fails, and stays with the new one", async () => {
    await send({ "x-session-id": "moving" });
    const [before] = used();
    gateway.upstream.control.reset();
    gateway.upstream.control.set({ status: 500, only: { key: before! } });
    await send({ "x-session-id": "moving" });
    const after = gateway.upstream.calls().at(-1)?.key;
    expect(after).not.toBe(before);
    gateway.upstream.control.reset();
    for (let call = 0; call < 8; call += 1) await send({ "x-session-id": "moving" });
    expect(used()).toEqual(new Set([after]));
  });

  it("with an id of 10 KB is an ordinary call", async () => {
    for (let call = 0; call < 6; call += 1)
      await send({ session_id: "x".repeat(10_240) }, { prompt_cache_key: "y".repeat(10_240) });
    expect(used().size).toBe(1);
  });

  it("is logged with its agents, and filters the log", async () => {
    await send({
      "x-claude-code-session-id": "logged",
      "x-claude-code-agent-id": "agent-2",
      "x-claude-code-parent-agent-id": "agent-1",
    });
    await send({}, { prompt_cache_key: "k".repeat(500) });
    await gateway.logs(1);
    const find = (session: string) => gateway.api<LogPage>("GET", `/log?session=${session}`);
    await expect.poll(async () => (await find("logged")).data.length).toBe(1);
    expect((await find("logged")).data[0]?.session).toEqual({
      id: "logged",
      agent: "agent-2",
      parent: "agent-1",
    });
    await expect.poll(async () => (await find("k".repeat(200))).data.length).toBe(1);
    expect((await find("nothing")).data).toEqual([]);
    expect(await gateway.api("GET", "/log/facets?session=logged")).toMatchObject({ retried: 0 });
  });

  it("does not stay on channels that do not keep sessions", async () => {
    for (const id of channels) await gateway.api("PUT", "/channel", { id, session_affinity: false });
    const spread = async (session: string) => {
      gateway.upstream.control.reset();
      for (let call = 0; call < 12; call += 1) await send({ "x-session-id": session });
      return used().size;
    };
    await expect.poll(() => spread("unkept")).toBeGreaterThan(1);
    for (const id of channels) await gateway.api("PUT", "/channel", { id, session_affinity: true });
    let round = 0;
    await expect.poll(() => spread(`kept-${(round += 1)}`), { timeout: 10_000 }).toBe(1);
  });

  it("is not tracked while the setting is 0", async () => {
    await gateway.api("PUT", "/option", { key: "SessionAffinityMinutes", value: 0 });
    for (let call = 0; call < 30; call += 1) await send({ "x-session-id": "off" });
    expect(used().size).toBeGreaterThan(1);
    await gateway.api("PUT", "/option", { key: "SessionAffinityMinutes", value: 60 });
  });
});
