import type Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Message threads of Anthropic's client: the gateway stores the conversation, and every provider receives it whole. */
let gateway: TestGateway;
let key: string;
let client: Anthropic;

const channels = { chat: 8, anthropic: 14, gemini: 25 } as const;
const models = Object.keys(channels).map((name) => `to-${name}`);

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [name, type] of Object.entries(channels)) {
    const model = `to-${name}`;
    await gateway.addChannel({ type, name, models: [model], model_mapping: { [model]: "demo-chat" } });
    await gateway.addPrice(model);
  }
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
  client = gateway.anthropic(key);
});
afterAll(async () => {
  expect(await gateway.drift()).toBe(0n);
  await gateway.stop();
});

const beta = { "anthropic-beta": "message-threads-2026-08-12" };
const sentLast = () => JSON.stringify(gateway.upstream.calls().at(-1)?.body);
const all = models.flatMap((model) => [false, true].map((streams) => [model, streams] as const));

interface Turn {
  thread: object | null;
  text: string;
  more?: object;
}

async function send(model: string, streams: boolean, { thread, text, more = {} }: Turn) {
  const messages = [{ role: "user" as const, content: text }];
  const params = { model, max_tokens: 2_000, messages, thread, ...more };
  return streams
    ? client.messages.stream(params, { headers: beta }).finalMessage()
    : client.messages.create(params, { headers: beta });
}

describe("a message thread", () => {
  it.each(all)("is created and continued (%s, streamed: %s)", async (model, streams) => {
    const tools = [{ name: "get_weather", input_schema: { type: "object" as const } }];
    const first = await send(model, streams, {
      thread: { type: "create" },
      text: "My name is Ada.",
      more: { system: "Be brief.", tools },
    });
    expect(sentLast()).not.toContain("thread");
    const then = { type: "continue", previous_message_id: first.id };
    const second = await send(model, streams, { thread: then, text: "What is my name?" });
    for (const part of ["Be brief.", "get_weather", "My name is Ada.", "What is my name?"])
      expect(sentLast()).toContain(part);
    const text = first.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    expect(sentLast()).toContain(JSON.stringify(text.slice(0, 20)).slice(1, -1));
    expect(sentLast()).not.toContain("thread");
    const third = { type: "continue", previous_message_id: second.id };
    await send(model, streams, { thread: third, text: "And now?" });
    expect(sentLast()).toContain("What is my name?");
  });

  it.each(all)("keeps thinking with its proof, and calls (%s, streamed: %s)", async (model, streams) => {
    const tools = [{ name: "get_weather", input_schema: { type: "object" as const } }];
    const first = await send(model, streams, {
      thread: { type: "create" },
      text: "What is the weather in Paris? Use get_weather.",
      more: { tools, thinking: { type: "enabled", budget_tokens: 1_024 } },
    });
    const call = first.content.find((block) => block.type === "tool_use");
    const result = { type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "21 degrees" };
    const messages = [{ role: "user" as const, content: [result] }];
    const thread = { type: "continue", previous_message_id: first.id };
    await send(model, streams, { thread, text: "", more: { messages } });
    expect(sentLast()).toContain("21 degrees");
    if (model === "to-anthropic") expect(sentLast()).toContain('"signature"');
  });

  it("of another account, unknown, or not stored is not found, with the code that makes clients replay", async () => {
    const first = await send("to-anthropic", false, { thread: { type: "create" }, text: "Hi" });
    const where = { id: first.id };
    await gateway.database.db.storedResponse.update({ where, data: { user_id: 999_999 } });
    const plain = await send("to-anthropic", false, { thread: null, text: "Hi" });
    for (const id of [first.id, plain.id, "msg_nobody"])
      await expect(
        send("to-anthropic", false, { thread: { type: "continue", previous_message_id: id }, text: "Hi" }),
      ).rejects.toMatchObject({
        status: 404,
        error: {
          type: "error",
          error: { type: "not_found_error", details: { error_code: "thread_not_found" } },
        },
      });
  });

  it.each([
    [{ context_management: { edits: [] } }, "thread_unsupported_request"],
    [{ fallbacks: [{ model: "to-chat" }] }, "thread_unsupported_request"],
    [
      { thread: { type: "continue", previous_message_id: "msg_1" }, system: "Other" },
      "thread_fingerprint_mismatch",
    ],
    [{ thread: { type: "continue" } }, undefined],
    [{ thread: { type: "continue", previous_message_id: "x".repeat(500) } }, undefined],
    [{ thread: { type: "dance" } }, undefined],
    [{ thread: "create" }, undefined],
  ])("with %j is refused with 400", async (more, code) => {
    const turn = send("to-anthropic", false, { thread: { type: "create" }, text: "Hi", more });
    await expect(turn).rejects.toMatchObject({ status: 400 });
    const details = code === undefined ? {} : { details: expect.objectContaining({ error_code: code }) };
    await expect(turn).rejects.toMatchObject({ error: { error: details } });
  });
});
