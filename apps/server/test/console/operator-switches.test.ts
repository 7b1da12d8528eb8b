import type { ChannelRow } from "@gateway/shared/channels/channel";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/**
 * Settings that operators change at run time: endpoints, forbidden phrases, and phrases that count against a
 * key.
 */
let gateway: TestGateway;
let raw: RawUpstream;
let key: string;

beforeAll(async () => {
  [gateway, raw] = await Promise.all([startTestGateway(), startRawUpstream()]);
  await gateway.addChannel({ type: 900, name: "demo" });
  ({ key } = await gateway.addToken());
});
afterEach(() =>
  set({
    ClaudeAPIEnabled: null,
    GeminiAPIEnabled: null,
    EnableSafe: null,
    SafeKeyWords: null,
    DisableChannelKeywords: null,
    RetryCooldownSeconds: null,
  }),
);
afterAll(async () => {
  await gateway.stop();
  await raw.close();
});

const set = (values: Record<string, unknown>) => gateway.api("PUT", "/option/batch", { values });

interface Output {
  status: number;
  body: {
    type?: string;
    error?: { type?: string; code?: string | number; status?: string; message?: string };
  };
}

async function send(path: string, body?: object): Promise<Output> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Output["body"] };
}

const chat = (content: string, model = "demo-chat") => ({ model, messages: [{ role: "user", content }] });
const messages = (content: string) => ({ ...chat(content), max_tokens: 50 });
const contents = (text: string) => ({ contents: [{ role: "user", parts: [{ text }] }] });

describe("a disabled endpoint", () => {
  const endpoints = [
    {
      name: "ClaudeAPIEnabled",
      calls: [
        ["/v1/messages", messages("Hello")],
        ["/claude/v1/messages", messages("Hello")],
        ["/v1/messages/count_tokens", chat("Hello")],
        ["/claude/v1/models", undefined],
      ],
      refusal: { type: "error", error: { type: "permission_error" } },
    },
    {
      name: "GeminiAPIEnabled",
      calls: [
        ["/v1beta/models/demo-chat:generateContent", contents("Hello")],
        ["/v1/models/demo-chat:generateContent", contents("Hello")],
        ["/gemini/v1beta/models/demo-chat:countTokens", contents("Hello")],
        ["/v1beta/models", undefined],
        ["/v1beta/interactions", { model: "demo-chat", input: "Hello" }],
        ["/v1/interactions", { model: "demo-chat", input: "Hello" }],
      ],
      refusal: { error: { code: 403, status: "PERMISSION_DENIED" } },
    },
  ] as const;

  it.each(endpoints)("$name: rejects calls in its dialect; others still work", async (endpoint) => {
    for (const [path, body] of endpoint.calls)
      expect(await send(path, body), path).toMatchObject({ status: 200 });
    await set({ [endpoint.name]: false });
    for (const [path, body] of endpoint.calls)
      expect(await send(path, body), path).toMatchObject({ status: 403, body: endpoint.refusal });
    expect(await send("/v1/chat/completions", chat("Hello"))).toMatchObject({ status: 200 });
    expect(await send("/v1/models")).toMatchObject({ status: 200 });
    await set({ [endpoint.name]: true });
    for (const [path, body] of endpoint.calls)
      expect(await send(path, body), path).toMatchObject({ status: 200 });
  });
});

describe("forbidden phrases", () => {
  const bad = "Tell me about the Forbidden  Fruit";
  const calls = [
    ["/v1/chat/completions", chat(bad), { error: { code: "content_policy_violation" } }],
    ["/v1/responses", { model: "demo-chat", input: bad }, { error: { code: "content_policy_violation" } }],
    ["/v1/messages", messages(bad), { type: "error", error: { type: "invalid_request_error" } }],
    [
      "/v1beta/models/demo-chat:generateContent",
      contents(bad),
      { error: { code: 400, status: "INVALID_ARGUMENT" } },
    ],
    [
      "/v1beta/interactions",
      { model: "demo-chat", input: bad },
      { error: { code: 400, status: "INVALID_ARGUMENT" } },
    ],
  ] as const;

  it.each(calls)("are rejected at %s, logged and free", async (path, body, refusal) => {
    await set({ SafeKeyWords: "something else\r\n forbidden  fruit \n\n" });
    expect(await send(path, body), "off").toMatchObject({ status: 200 });
    const before = await gateway.logs(1);
    await set({ EnableSafe: true });
    const requested = gateway.upstream.calls().length;
    const refused = await send(path, body);
    expect(refused).toMatchObject({ status: 400, body: refusal });
    expect(refused.body.error?.message?.toLowerCase()).not.toContain("fruit");
    expect(gateway.upstream.calls()).toHaveLength(requested);
    const [row] = await gateway.logs(before.length + 1);
    expect(row).toMatchObject({ outcome: "failed", error_code: "content_policy_violation", quota: 0 });
    expect(await gateway.drift()).toBe(0n);
  });

  it("are searched in every part of the user's messages, and nowhere else", async () => {
    await set({ EnableSafe: true, SafeKeyWords: "forbidden" });
    const parts = ["Hello", "a FORBIDDEN thing"].map((text) => ({ type: "text", text }));
    const ask = (list: object[]) =>
      send("/v1/chat/completions", { model: "demo-chat", messages: list }).then(({ status }) => status);
    expect(await ask([{ role: "user", content: parts }])).toBe(400);
    const earlier = [
      { role: "system", content: "Forbidden words are yours to explain." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "That is forbidden." },
      { role: "user", content: "Why?" },
    ];
    expect(await ask(earlier)).toBe(200);
  });
});

describe("phrases that count against a key", () => {
  const model = "demo-echo";
  const sentence = "This workspace has been closed for good.";
  const refuse = (message: string) => {
    const body = JSON.stringify({ error: { message, type: "invalid_request_error" } });
    const headers = { "content-length": String(Buffer.byteLength(body)) };
    raw.play({
      chunks: [head("application/json", headers, 400), body],
      ending: "end",
    });
  };
  const stateOf = async (id: number) => (await gateway.api<ChannelRow>("GET", `/channel/${id}`)).status;
  const ask = (text: string) => send("/v1/chat/completions", chat(text, model));

  it("disable the key whatever the status, only while they are listed", async () => {
    const { id } = await gateway.addChannel({ type: 8, name: "closed", base_url: raw.url, models: [model] });
    await set({ RetryCooldownSeconds: 0, DisableChannelKeywords: "" });
    refuse(sentence);
    for (let round = 0; round < 4; round += 1) expect((await ask("Hello")).status).toBe(400);
    expect(await stateOf(id)).toBe(1);
    await set({ DisableChannelKeywords: "something\nworkspace has been CLOSED" });
    // From here on the operator is responsible for this phrase.
    for (let round = 0; round < 3; round += 1) {
      const refused = await ask("Hello");
      expect(refused.status).toBe(502);
      expect(refused.body.error?.message).not.toContain("workspace");
    }
    await expect.poll(() => stateOf(id)).toBe(3);
    await gateway.api("DELETE", `/channel/${id}`);
  });

  it("do not count when the provider only quotes the request", async () => {
    const { id } = await gateway.addChannel({ type: 8, name: "quoting", base_url: raw.url, models: [model] });
    await set({ RetryCooldownSeconds: 0, DisableChannelKeywords: "workspace has been closed" });
    refuse(`Invalid value: '${sentence}'`);
    for (let round = 0; round < 4; round += 1) expect((await ask(sentence)).status).toBe(400);
    expect(await stateOf(id)).toBe(1);
    await gateway.api("DELETE", `/channel/${id}`);
  });
});
