import type { Self } from "@gateway/shared/accounts/session";
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { APIError } from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Provider failures: which channel takes over, which one is paused, and what is charged. */
let gateway: TestGateway;
let made: number[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  // Failed channels must still be paused at the end of a test, however slow the machine is.
  await gateway.api("PUT", "/option", { key: "RetryCooldownSeconds", value: 60 });
});
afterEach(async () => {
  for (const id of made.splice(0)) await gateway.api("DELETE", `/channel/${id}`);
  gateway.upstream.control.reset();
});
afterAll(() => gateway.stop());

/** Adds a channel for one test. */
async function add(channel: Parameters<TestGateway["addChannel"]>[0]): Promise<ChannelRow> {
  const row = await gateway.addChannel(channel);
  made.push(row.id);
  return row;
}

const ask = { model: "demo-chat", messages: [{ role: "user" as const, content: "Hello" }] };

async function failure(call: Promise<unknown>): Promise<APIError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}

describe("two channels of one priority", () => {
  it("share calls by weight", async () => {
    await add({ type: 8, name: "light", key: "light", weight: 1 });
    await add({ type: 8, name: "heavy", key: "heavy", weight: 1_000_000 });
    const client = gateway.openai((await gateway.addToken()).key);
    for (let round = 0; round < 20; round += 1) await client.chat.completions.create(ask);
    expect(new Set(gateway.upstream.calls().map((call) => call.key))).toEqual(new Set(["heavy"]));
  });

  it("replace each other: the failed one is paused and the call succeeds", async () => {
    const broken = await add({ type: 8, name: "broken", key: "demo-fail-500", priority: 5 });
    await add({ type: 8, name: "sound", key: "sound" });
    const token = await gateway.addToken();
    const client = gateway.openai(token.key);
    for (let round = 0; round < 3; round += 1)
      expect((await client.chat.completions.create(ask)).choices[0]?.message.content).toBeTruthy();
    const calls = gateway.upstream.calls().map((call) => call.key);
    expect(calls).toEqual(["demo-fail-500", "sound", "sound", "sound"]);
    const row = await gateway.api<ChannelRow>("GET", `/channel/${broken.id}`);
    expect(row.frozen.map((freeze) => freeze.model)).toEqual(["demo-chat"]);
    const [latest, , first] = await gateway.logs(3, token.id);
    expect(latest?.attempts?.map((attempt) => attempt.result)).toEqual(["ok"]);
    expect(first?.attempts?.map((attempt) => attempt.result)).toEqual(["server", "ok"]);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("the log of a call with a failed attempt", () => {
  it("contains the channels that were not tried, why, and when each attempt began", async () => {
    await add({ type: 8, name: "broken", key: "demo-fail-500", priority: 9 });
    const serves = await add({ type: 8, name: "serves", key: "serves", priority: 5 });
    const idle = await add({ type: 8, name: "idle", key: "idle", priority: 1 });
    const token = await gateway.addToken();
    const client = gateway.openai(token.key);
    await client.chat.completions.create(ask);
    const [retried] = await gateway.logs(1, token.id);
    expect(retried).toMatchObject({
      channel_id: serves.id,
      attempts: [
        { result: "server", priority: 9 },
        { result: "ok", priority: 5 },
      ],
      skipped: [{ channel_id: idle.id, channel_name: "idle", skipped: "lower-priority", priority: 1 }],
    });
    const [failed, served] = retried?.attempts ?? [];
    expect(served?.begun).toBeGreaterThanOrEqual((failed?.begun ?? NaN) + (failed?.duration ?? NaN));
    // A call that succeeds at the first attempt logs no skipped channels.
    await client.chat.completions.create(ask);
    expect((await gateway.logs(2, token.id))[0]).toMatchObject({ attempts: [{ result: "ok" }], skipped: [] });
  });

  it("shows when a channel is excluded by what the call needs", async () => {
    await add({ type: 8, name: "chat only", key: "a", only_chat: true });
    await add({ type: 8, name: "no streams", key: "b", disabled_stream: ["demo-chat"] });
    const token = await gateway.addToken();
    const client = gateway.openai(token.key);
    const tools = [{ type: "function" as const, function: { name: "f", parameters: {} } }];
    await expect(client.chat.completions.create({ ...ask, tools, stream: true })).rejects.toThrow();
    const [row] = await gateway.logs(1, token.id);
    expect(row?.attempts).toEqual([]);
    expect(row?.skipped?.map((note) => note.skipped).toSorted()).toEqual(["no-streaming", "no-tools"]);
  });
});

describe("an unreadable response", () => {
  it("counts as a failure of the provider: another channel serves the call", async () => {
    await add({ type: 14, name: "babbles", key: "babbles", priority: 5 });
    await add({ type: 8, name: "sound", key: "sound" });
    gateway.upstream.control.set({ garbage: true, only: { key: "babbles" } });
    const client = gateway.openai((await gateway.addToken()).key);
    const answer = await client.chat.completions.create(ask);
    expect(answer.choices[0]?.message.content).toBeTruthy();
    expect(gateway.upstream.calls().map((call) => call.key)).toEqual(["babbles", "sound"]);
  });
});

describe("when every channel fails", () => {
  it("returns one clear error in the client's dialect, and charges nothing", async () => {
    await add({ type: 8, name: "a", key: "demo-fail-500" });
    await add({ type: 14, name: "b", key: "demo-fail-500" });
    const token = await gateway.addToken();
    const before = await gateway.api<Self>("GET", "/user/self");
    const openai = await failure(gateway.openai(token.key).chat.completions.create(ask));
    expect(openai.status).toBe(502);
    expect(openai.code).toBe("upstream_failed");
    const raw = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": token.key, "content-type": "application/json" },
      body: JSON.stringify({ ...ask, max_tokens: 10 }),
    });
    expect(raw.status).toBe(502);
    expect(await raw.json()).toMatchObject({ type: "error", error: { message: expect.any(String) } });
    const after = await gateway.api<Self>("GET", "/user/self");
    expect(after.quota).toBe(before.quota);
    expect(after.reserved).toBe(0);
    const rows = await gateway.logs(2, token.id);
    expect(rows.map((row) => [row.type, row.quota])).toEqual([
      [5, 0],
      [5, 0],
    ]);
    expect(await gateway.drift()).toBe(0n);
  });

  it("returns a provider's rejection of the request without trying other channels", async () => {
    await add({ type: 8, name: "a", key: "a" });
    await add({ type: 8, name: "b", key: "b" });
    gateway.upstream.control.set({ status: 400 });
    const error = await failure(gateway.openai((await gateway.addToken()).key).chat.completions.create(ask));
    expect(error.status).toBe(400);
    expect(gateway.upstream.calls()).toHaveLength(1);
  });

  it("respects the provider's Retry-After", async () => {
    const channel = await add({ type: 8, name: "a", key: "a" });
    gateway.upstream.control.set({ status: 429, retryAfter: 37 });
    const token = await gateway.addToken();
    const begun = Date.now();
    const error = await failure(gateway.openai(token.key).chat.completions.create(ask));
    expect(error.status).toBe(429);
    expect(error.headers?.get("retry-after")).toBe("37");
    const row = await gateway.api<ChannelRow>("GET", `/channel/${channel.id}`);
    const until = row.frozen[0]?.until ?? 0;
    expect(until).toBeGreaterThan(begun / 1_000 + 36);
    expect(until).toBeLessThan(Date.now() / 1_000 + 38);
  });
});

describe("the end of a call", () => {
  it("charges what was delivered when the upstream dies in the middle, and sends an error in the stream", async () => {
    await add({ type: 8, name: "a", key: "a" });
    const token = await gateway.addToken();
    const client = gateway.openai(token.key);
    const stream = await client.chat.completions.create({
      model: "demo-chat",
      stream: true,
      messages: [{ role: "user", content: "[[length=400]] [[cut=after:5]]" }],
    });
    let text = "";
    const broken = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    })();
    expect((await failure(broken)).message).toContain("closed the connection");
    expect(text.length).toBeGreaterThan(0);
    const [row] = await gateway.logs(1, token.id);
    expect(row).toMatchObject({ outcome: "upstream-died", estimated: true });
    expect(row?.quota).toBeGreaterThan(0);
    expect(await gateway.drift()).toBe(0n);
  });

  it("cancels the upstream and charges up to the time when the client disconnects", async () => {
    await add({ type: 8, name: "a", key: "a" });
    const token = await gateway.addToken();
    const client = gateway.openai(token.key);
    const stream = await client.chat.completions.create({
      model: "demo-chat",
      stream: true,
      messages: [{ role: "user", content: "[[length=2000]] [[chunk-delay=20]]" }],
    });
    let chunks = 0;
    for await (const chunk of stream) {
      chunks += chunk.choices.length;
      if (chunks >= 5) break;
    }
    const [row] = await gateway.logs(1, token.id);
    expect(row).toMatchObject({ outcome: "client-left", status: 499 });
    expect(row?.quota).toBeGreaterThan(0);
    expect(row?.completion_tokens).toBeLessThan(200);
    await expect.poll(() => gateway.upstream.calls()[0]?.aborted).toBe(true);
    expect(await gateway.drift()).toBe(0n);
  });

  it("costs nothing when the upstream returns an empty response", async () => {
    await add({ type: 8, name: "a", key: "a" });
    gateway.upstream.control.set({ empty: true, noUsage: true });
    const token = await gateway.addToken();
    const client = gateway.openai(token.key);
    expect((await failure(client.chat.completions.create(ask))).status).toBeGreaterThan(500);
    // Its first frame can be sent before the end shows that no content follows.
    const streamed = async () => {
      let frames = 0;
      for await (const { id } of await client.chat.completions.create({ ...ask, stream: true }))
        frames += id.length;
      return frames;
    };
    await expect(streamed()).rejects.toThrow(/with nothing|Bad Gateway|502|503/);
    expect((await gateway.logs(2, token.id)).map((row) => row.quota)).toEqual([0, 0]);
  });

  it("counts tokens, and marks them as estimated, when the provider reports no usage", async () => {
    await add({ type: 8, name: "a", key: "a" });
    gateway.upstream.control.set({ noUsage: true });
    const token = await gateway.addToken();
    const client = gateway.openai(token.key);
    await client.chat.completions.create(ask);
    const [row] = await gateway.logs(1, token.id);
    expect(row).toMatchObject({ estimated: true, outcome: "complete" });
    expect(row?.completion_tokens).toBeGreaterThan(0);
  });
});
