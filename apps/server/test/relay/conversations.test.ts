import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/**
 * Conversations with OpenAI's client. The gateway stores them, so that providers of any format can serve
 * them.
 */
let gateway: TestGateway;
let client: OpenAI;
let stranger: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [name, type] of [
    ["native", 1],
    ["translated", 14],
  ] as const) {
    await gateway.addChannel({
      type,
      name,
      models: [name, "both"],
      key: "key-a\nkey-b",
      model_mapping: { [name]: "+demo-chat", both: "+demo-chat" },
    });
  }
  for (const model of ["native", "translated", "both"]) await gateway.addPrice(model);
  client = gateway.openai((await gateway.addToken()).key);
  await gateway.api("POST", "/user/", { username: "stranger", password: "correct horse", group: "default" });
  const other = await gateway.database.db.user.findFirstOrThrow({ where: { username: "stranger" } });
  await gateway.api("POST", `/user/quota/${other.id}`, { quota: 1_000, remark: "test" });
  stranger = (await gateway.addToken()).key;
  const last = await gateway.database.db.token.findFirstOrThrow({ orderBy: { id: "desc" } });
  await gateway.database.db.token.update({ where: { id: last.id }, data: { user_id: other.id } });
});
afterAll(() => gateway.stop());

const lastSent = () => gateway.upstream.calls().at(-1)?.body as { input?: { content: unknown }[] };

describe("a conversation", () => {
  it("is created, read, updated, extended, emptied and deleted", async () => {
    const opened = await client.conversations.create({
      metadata: { topic: "boats" },
      items: [{ type: "message", role: "user", content: "Ahoy." }],
    });
    expect(opened).toMatchObject({ object: "conversation", metadata: { topic: "boats" } });
    expect(opened.id).toMatch(/^conv_/);
    expect(await client.conversations.retrieve(opened.id)).toEqual(opened);
    const changed = await client.conversations.update(opened.id, { metadata: { topic: "ships" } });
    expect(changed.metadata).toEqual({ topic: "ships" });
    const added = await client.conversations.items.create(opened.id, {
      items: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "One" }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Two" }] },
      ],
    });
    expect(added.data).toHaveLength(2);
    const texts: string[] = [];
    for await (const item of client.conversations.items.list(opened.id, { limit: 1, order: "asc" }))
      texts.push(JSON.stringify(item));
    expect(texts.map((text) => /Ahoy|One|Two/.exec(text)?.[0])).toEqual(["Ahoy", "One", "Two"]);
    const second = added.data[1]!.id!;
    expect(await client.conversations.items.retrieve(second, { conversation_id: opened.id })).toMatchObject({
      id: second,
    });
    await client.conversations.items.delete(second, { conversation_id: opened.id });
    expect((await client.conversations.items.list(opened.id)).data).toHaveLength(2);
    expect(await client.conversations.delete(opened.id)).toMatchObject({ deleted: true });
    await expect(client.conversations.retrieve(opened.id)).rejects.toMatchObject({ status: 404 });
  });

  it("lists messages with their content as a list and their status, and rejects an unknown place", async () => {
    const { id } = await client.conversations.create({
      items: [
        { role: "user", content: "Ahoy." },
        { role: "assistant", content: "Hello." },
      ],
    });
    const { data } = await client.conversations.items.list(id, { order: "asc" });
    expect(data).toMatchObject([
      { type: "message", status: "completed", content: [{ type: "input_text", text: "Ahoy." }] },
      {
        type: "message",
        status: "completed",
        content: [{ type: "output_text", text: "Hello.", annotations: [] }],
      },
    ]);
    expect(await client.conversations.items.retrieve(data[0]!.id!, { conversation_id: id })).toEqual(data[0]);
    await expect(client.conversations.items.list(id, { after: "msg_none" })).rejects.toMatchObject({
      status: 404,
      param: "after",
    });
  });

  it.each([
    ["native", false],
    ["native", true],
    ["translated", false],
    ["translated", true],
  ])("is stored with a %s provider (streamed: %s)", async (model, streamed) => {
    const { id } = await client.conversations.create({
      items: [{ type: "message", role: "user", content: "My name is Ada." }],
    });
    const ask = (input: string) =>
      streamed
        ? client.responses.stream({ model, input, conversation: id }).finalResponse()
        : client.responses.create({ model, input, conversation: { id } });
    const first = await ask("What is my name?");
    expect(first.output_text.length).toBeGreaterThan(0);
    expect(first.conversation).toEqual({ id });
    expect(JSON.stringify(lastSent())).toContain("My name is Ada.");
    expect(lastSent()).not.toHaveProperty("conversation");
    await ask("And again?");
    const sent = JSON.stringify(lastSent());
    for (const text of ["My name is Ada.", "What is my name?", first.output_text, "And again?"])
      expect(sent).toContain(JSON.stringify(text).slice(1, -1));
    const { data } = await client.conversations.items.list(id, { order: "asc" });
    expect(data.map((item) => ("role" in item ? item.role : item.type))).toEqual([
      "user",
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  it.each(["native", "translated"])(
    "is contained in each response object of a stream of a %s provider",
    async (model) => {
      const { id } = await client.conversations.create();
      const stream = await client.responses.create({ model, input: "Hi", conversation: id, stream: true });
      const named: unknown[] = [];
      for await (const event of stream) if ("response" in event) named.push(event.response.conversation);
      expect(named.length).toBeGreaterThanOrEqual(3);
      expect(named).toEqual(named.map(() => ({ id })));
    },
  );

  it("continues with another provider, including tool calls", async () => {
    const { id } = await client.conversations.create();
    const tools = [
      {
        type: "function" as const,
        name: "get_weather",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        strict: false,
      },
    ];
    const called = await client.responses.create({
      model: "native",
      input: "Call the tool.",
      conversation: id,
      tools,
      tool_choice: "required",
    });
    const call = called.output.find((item) => item.type === "function_call");
    expect(call).toBeDefined();
    const answered = await client.responses.create({
      model: "translated",
      conversation: id,
      tools,
      input: [{ type: "function_call_output", call_id: call!.call_id, output: "Sunny." }],
    });
    expect(answered.status).toBe("completed");
    expect(JSON.stringify(lastSent())).toContain("Sunny.");
  });

  it("with content that only one provider can read stays with that channel and key", async () => {
    const { id } = await client.conversations.create({
      items: [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" }],
    });
    await client.responses.create({ model: "native", input: "Hi", conversation: id });
    const home = gateway.upstream.calls().at(-1);
    for (let round = 0; round < 6; round += 1) {
      await client.responses.create({ model: "native", input: "Go on", conversation: id });
      expect(gateway.upstream.calls().at(-1)?.key).toBe(home?.key);
      expect(JSON.stringify(lastSent())).toContain("sealed");
    }
  });

  it("stores both of two concurrent responses", async () => {
    const { id } = await client.conversations.create();
    await Promise.all(
      ["a", "b", "c"].map((input) => client.responses.create({ model: "native", input, conversation: id })),
    );
    expect((await client.conversations.items.list(id)).data).toHaveLength(6);
  });

  it("is not visible to other accounts", async () => {
    const { id } = await client.conversations.create();
    const other = gateway.openai(stranger);
    for (const attempt of [
      () => other.conversations.retrieve(id),
      () => other.conversations.update(id, { metadata: {} }),
      () => other.conversations.items.list(id),
      () => other.conversations.items.create(id, { items: [{ role: "user", content: "x" }] }),
      () => other.conversations.delete(id),
      () => other.responses.create({ model: "native", input: "x", conversation: id }),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 404 });
    expect((await client.conversations.retrieve(id)).id).toBe(id);
  });

  it("is not confused with a response, or a response with it", async () => {
    const { id } = await client.conversations.create();
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    const response = await client.responses.create({ model: "translated", input: "Hi" });
    await expect(client.conversations.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    [{ conversation: 7 }, "conversation"],
    [{ conversation: "conv_nobody" }, "conversation"],
    [{ conversation: "conv_x", previous_response_id: "resp_x" }, "previous_response_id"],
    [{ previous_response_id: 7 }, "previous_response_id"],
  ])("is rejected when its reference is invalid (%j)", async (fields, param) => {
    const body = { model: "native", input: "x", ...fields } as never;
    const refused = await client.responses.create(body).then(
      () => undefined,
      (error: unknown) => error as { status: number; param: string },
    );
    expect(refused?.param).toBe(param);
    expect([400, 404]).toContain(refused?.status);
  });

  it("rejects invalid items with their position", async () => {
    const items = [
      { role: "user", content: "ok" },
      { role: "nobody", content: "x" },
    ] as never;
    await expect(client.conversations.create({ items })).rejects.toMatchObject({
      status: 400,
      param: expect.stringMatching(/^items\.1/),
    });
  });
});

describe("input_tokens", () => {
  it("is counted by a provider that can, otherwise by the gateway", async () => {
    const native = await client.responses.inputTokens
      .count({ model: "native", input: "How many tokens are in this?" })
      .withResponse();
    expect(native.data).toMatchObject({ object: "response.input_tokens", input_tokens: expect.any(Number) });
    expect(native.response.headers.get("x-gateway-estimated")).toBeNull();
    const ours = await client.responses.inputTokens
      .count({ model: "translated", input: "How many tokens are in this?" })
      .withResponse();
    expect(ours.data.input_tokens).toBeGreaterThan(3);
    expect(ours.response.headers.get("x-gateway-estimated")).toBe("tokens");
  });

  it("counts the previous messages", async () => {
    const long = "A long story about a boat. ".repeat(50);
    const { id } = await client.conversations.create({
      items: [{ type: "message", role: "user", content: long }],
    });
    for (const model of ["native", "translated"]) {
      const counted = await client.responses.inputTokens.count({ model, input: "So?", conversation: id });
      expect(counted.input_tokens).toBeGreaterThan(100);
    }
  });
});

describe("compact", () => {
  const input = [{ type: "message" as const, role: "user" as const, content: "A long story." }];

  it("is forwarded to a provider that supports it, and billed by its usage", async () => {
    const compacted = await client.responses.compact({ model: "native", input });
    expect(compacted.object).toBe("response.compaction");
    expect(compacted.output.map((item) => item.type)).toContain("compaction");
    expect((await gateway.logs())[0]).toMatchObject({
      endpoint: "/v1/responses/compact",
      prompt_tokens: compacted.usage.input_tokens,
      completion_tokens: 16,
      estimated: false,
    });
    // Of several providers, only the one that supports it is called.
    for (let round = 0; round < 4; round += 1) await client.responses.compact({ model: "both", input });
  });

  it("continues from a response that only the gateway stores", async () => {
    const first = await client.responses.create({ model: "translated", input: "My name is Ada." });
    await client.responses.compact({ model: "both", previous_response_id: first.id });
    expect(JSON.stringify(lastSent())).toContain("My name is Ada.");
  });

  it("is a summary of the gateway when no provider supports it", async () => {
    const compacted = await client.responses.compact({ model: "translated", input });
    expect(compacted.output.map((item) => item.type)).toEqual(["compaction"]);
    await expect(client.responses.compact({ model: "nobody", input })).rejects.toMatchObject({ status: 404 });
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("conversations: storage", () => {
  const post = async (path: string, body: unknown, key: string) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };

  it("rejects text that cannot be stored and names the field", async () => {
    const { key } = await gateway.addToken();
    const { id } = JSON.parse((await post("/v1/conversations", {}, key)).text);
    const say = (content: string) => [{ type: "message", role: "user", content }];
    const refused: [string, object, string][] = [
      ["/v1/conversations", { items: say("a\0b") }, "items.0.content"],
      ["/v1/conversations", { items: say("\ud800") }, "items.0.content"],
      ["/v1/conversations", { metadata: { a: "\0" } }, "metadata.a"],
      ["/v1/conversations", { metadata: { "a\0": "b" } }, "metadata"],
      [`/v1/conversations/${id}`, { metadata: { a: "\udc00" } }, "metadata.a"],
      [`/v1/conversations/${id}/items`, { items: say("\0") }, "items.0.content"],
      ["/v1/responses", { model: "native", input: "\0", conversation: id }, "input.0.content"],
      ["/v1/responses", { model: "native", input: "x", conversation: "\0" }, "conversation"],
      ["/v1/responses", { model: "native", input: "x", previous_response_id: "\0" }, "previous_response_id"],
      ["/suno/submit/music", { prompt: "a\0" }, "prompt"],
      ["/mj/submit/imagine", { prompt: "\ud83d" }, "prompt"],
      ["/suno/fetch", { ids: ["\0"] }, "ids.0"],
    ];
    for (const [path, body, field] of refused) {
      const answer = await post(path, body, key);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.text).toContain(field);
    }
    const nul = await fetch(`${gateway.url}/v1/conversations/conv_%00`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(nul.status).toBe(400);
  });

  it("accepts at most sixteen pairs of metadata at each of its endpoints", async () => {
    const { key } = await gateway.addToken();
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
    const opened = await post("/v1/conversations", { metadata: pairs(16) }, key);
    expect(opened.status).toBe(200);
    for (const path of ["/v1/conversations", `/v1/conversations/${JSON.parse(opened.text).id}`]) {
      const refused = await post(path, { metadata: pairs(17) }, key);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("At most 16 pairs")]);
    }
  });

  it("requires a balance, and limits the stored conversations of an account", async () => {
    await gateway.api("POST", "/user/", { username: "keeper", password: "correct horse", group: "default" });
    const keeper = await gateway.database.db.user.findFirstOrThrow({ where: { username: "keeper" } });
    const { key, id: tokenId } = await gateway.addToken();
    await gateway.database.db.token.update({ where: { id: tokenId }, data: { user_id: keeper.id } });
    expect((await post("/v1/conversations", {}, key)).status).toBe(402);
    await gateway.api("POST", `/user/quota/${keeper.id}`, { quota: 1_000, remark: "test" });
    const opened = await post("/v1/conversations", {}, key);
    expect(opened.status).toBe(200);
    await gateway.database.pool.query(
      `INSERT INTO stored_responses (id, user_id, token_id, channel_id, kind, model, turn)
       SELECT 'conv_many_' || n, $1, $2, 0, 'conversation', '', '{"items":[],"metadata":{}}'
       FROM generate_series(1, 999) AS n`,
      [keeper.id, tokenId],
    );
    const refused = await post("/v1/conversations", {}, key);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("1000 conversations")]);
    await gateway.database.pool.query("DELETE FROM stored_responses WHERE id = 'conv_many_1'");
    const both = await Promise.all([1, 2].map(() => post("/v1/conversations", {}, key)));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});
