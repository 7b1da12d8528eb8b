import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Context management of Messages clients, with upstreams that do not support it. */
let gateway: TestGateway;
let key: string;
let tokenId: number;

beforeAll(async () => {
  gateway = await startTestGateway();
  const upstreams = { chat: 8, responses: 1, gemini: 25, anthropic: 14 };
  for (const [name, type] of Object.entries(upstreams))
    await gateway.addChannel({ type, name, models: [name], model_mapping: { [name]: "demo-chat" } });
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key, id: tokenId } = await gateway.addToken());
});
afterAll(() => gateway.stop());

interface Block {
  type: string;
  content?: string;
  text?: string;
}
interface Message {
  content: Block[];
  stop_reason: string;
  usage: { input_tokens: number; iterations?: { type: string; input_tokens: number }[] };
}

async function post(body: object): Promise<Response> {
  return fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify({ max_tokens: 1_000, ...body }),
  });
}

const use = (id: string, name = "read") => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name, input: { path: `${id}.txt` } }],
});
const result = (id: string, content: string) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});
const tools = [{ name: "read", input_schema: { type: "object", properties: {} } }];
const long = "The notes of the boat. ".repeat(400);
const conversation = [
  { role: "user", content: "The password of the boat is swordfish." },
  use("a"),
  result("a", long),
  { role: "user", content: "Go on." },
];
const compact = (fields: object = {}) => ({
  context_management: {
    edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 1_000 }, ...fields }],
  },
});

const sent = () => gateway.upstream.calls().map(({ body }) => JSON.stringify(body));
const charges = async () => (await gateway.logs(0)).filter((row) => row.token_id === tokenId);

async function checkBooks(calls: number): Promise<void> {
  await expect.poll(charges).toHaveLength(calls);
  expect((await charges()).every((row) => row.quota > 0)).toBe(true);
  expect(await gateway.database.db.reservation.count()).toBe(0);
  expect(await gateway.drift()).toBe(0n);
}

function eventsIn(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
}

describe.each(["chat", "responses", "gemini"])("a Messages client with an upstream of %s", (model) => {
  it("gets a compaction block before the answer, and continues from it", async () => {
    gateway.upstream.control.set({ say: "Summary: swordfish." });
    const answer = (await (
      await post({ model, tools, messages: conversation, ...compact() })
    ).json()) as Message;
    expect(answer.content.map(({ type }) => type)).toEqual(["compaction", "text"]);
    expect(answer.content[0]?.content).toBe("Summary: swordfish.");
    expect(answer.usage.iterations?.map(({ type }) => type)).toEqual(["compaction", "message"]);
    const [summary, continued] = sent();
    expect(summary).toContain("Write a summary of this conversation");
    expect(continued).toContain("Summary: swordfish.");
    expect(continued).not.toContain("The notes of the boat");
    await checkBooks(2);
    gateway.upstream.control.reset();
    const messages = [
      ...conversation,
      { role: "assistant", content: answer.content },
      { role: "user", content: "And the password?" },
    ];
    expect((await post({ model, tools, messages, ...compact() })).status).toBe(200);
    const next = sent().at(-1);
    expect(next).toContain("Summary: swordfish.");
    expect(next).not.toContain("The notes of the boat");
    await checkBooks(3);
  });

  it("gets the block first in a stream, or alone", async () => {
    gateway.upstream.control.set({ say: "Summary." });
    const events = eventsIn(
      await (await post({ model, tools, stream: true, messages: conversation, ...compact() })).text(),
    );
    expect(events[0]?.["type"]).toBe("message_start");
    expect(events[1]).toMatchObject({ index: 0, content_block: { type: "compaction" } });
    expect(events[2]).toMatchObject({ index: 0, delta: { type: "compaction_delta", content: "Summary." } });
    expect(events[4]).toMatchObject({ index: 1, content_block: { type: "text" } });
    expect(events.at(-2)).toMatchObject({
      usage: { iterations: [{ type: "compaction" }, { type: "message" }] },
    });
    const paused = compact({ pause_after_compaction: true });
    const alone = eventsIn(
      await (await post({ model, tools, stream: true, messages: conversation, ...paused })).text(),
    );
    expect(alone.at(-2)).toMatchObject({ delta: { stop_reason: "compaction" } });
    await checkBooks(3);
  });

  it("gets a summary on request", async () => {
    gateway.upstream.control.set({ say: "Summary." });
    const compaction = { type: "summarize", instructions: "Only the names." };
    const answer = (await (
      await post({ model, messages: conversation.slice(0, 1), compaction })
    ).json()) as Message;
    expect(answer).toMatchObject({
      stop_reason: "compaction",
      content: [{ type: "compaction", content: "Summary." }],
    });
    expect(sent()[0]).toContain("Only the names.");
    await checkBooks(1);
  });

  it("has old tool results cleared", async () => {
    const messages = [
      { role: "user", content: "Read all." },
      ...["a", "b", "c", "d"].flatMap((id) => [use(id), result(id, `Text of ${id}. ${long}`)]),
    ];
    const edit = { type: "clear_tool_uses_20250919", keep: { type: "tool_uses", value: 1 } };
    const below = await post({ model, tools, messages, context_management: { edits: [edit] } });
    expect(sent()[0]).toContain("Text of a.");
    expect(below.headers.get("x-gateway-dropped") ?? "").not.toContain("context_management");
    const trigger = { type: "input_tokens", value: 5_000 };
    await post({ model, tools, messages, context_management: { edits: [{ ...edit, trigger }] } });
    for (const id of ["a", "b", "c"]) expect(sent()[1]).not.toContain(`Text of ${id}.`);
    expect(sent()[1]).toContain("Text of d.");
    await checkBooks(2);
  });
});

describe("context management", () => {
  it("is left to a provider that supports it", async () => {
    await post({ model: "anthropic", tools, messages: conversation, ...compact() });
    expect(sent()).toHaveLength(1);
    expect(sent()[0]).toContain("compact_20260112");
  });

  it("is not applied below its trigger", async () => {
    const high = compact({ trigger: { type: "input_tokens", value: 50_000 } });
    expect((await post({ model: "chat", tools, messages: conversation, ...high })).status).toBe(200);
    expect(sent()).toHaveLength(1);
    expect(sent()[0]).toContain("The notes of the boat");
    await checkBooks(1);
  });

  it("sends the whole conversation if the summary cannot be written", async () => {
    gateway.upstream.control.set({ say: " ", times: 1 });
    const answer = await post({ model: "chat", tools, messages: conversation, ...compact() });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as Message).content.map(({ type }) => type)).not.toContain("compaction");
    expect(sent().at(-1)).toContain("The notes of the boat");
    expect(await gateway.database.db.reservation.count()).toBe(0);
  });

  it("removes the thinking of earlier turns", async () => {
    const thought = (text: string) => ({
      role: "assistant",
      content: [
        { type: "thinking", thinking: text, signature: "" },
        { type: "text", text: "Yes." },
      ],
    });
    const messages = [
      { role: "user", content: "One?" },
      thought("First thought"),
      { role: "user", content: "Two?" },
      thought("Second thought"),
      { role: "user", content: "Three?" },
    ];
    const edits = [{ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 1 } }];
    await post({ model: "chat", messages, context_management: { edits } });
    expect(sent()[0]).not.toContain("First thought");
  });
});
