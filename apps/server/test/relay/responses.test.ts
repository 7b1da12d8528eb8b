import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/**
 * Conversations by `previous_response_id`, with a provider that stores responses and with one that does not.
 */
let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({
    type: 1,
    name: "keeps",
    models: ["kept"],
    key: "key-a\nkey-b",
    model_mapping: { kept: "demo-chat" },
  });
  await gateway.addChannel({
    type: 14,
    name: "forgets",
    models: ["forgotten"],
    model_mapping: { forgotten: "demo-chat" },
  });
  client = gateway.openai((await gateway.addToken()).key);
});
afterAll(() => gateway.stop());

describe("a provider that stores nothing", () => {
  it.each([false, true])("continues from the gateway's stored responses (streamed: %s)", async (streamed) => {
    const ask = (body: { input: string; previous_response_id?: string; store?: boolean }) =>
      streamed
        ? client.responses.stream({ model: "forgotten", ...body }).finalResponse()
        : client.responses.create({ model: "forgotten", ...body });
    const first = await ask({ input: "My name is Ada." });
    expect(first.id).toMatch(/^resp_/);
    const second = await ask({ input: "What is my name?", previous_response_id: first.id });
    expect(second.output_text.length).toBeGreaterThan(0);
    expect([first.previous_response_id, second.previous_response_id]).toEqual([null, first.id]);
    const sent = JSON.stringify(gateway.upstream.calls().at(-1)?.body);
    expect(sent).toContain("My name is Ada.");
    expect(sent).toContain("What is my name?");
    const third = await ask({ input: "And now?", previous_response_id: second.id });
    expect(third.id).not.toBe(second.id);
    expect(JSON.stringify(gateway.upstream.calls().at(-1)?.body)).toContain("My name is Ada.");
  });

  it.each([false, true])("resolves references to its own items (streamed: %s)", async (streamed) => {
    const body = { model: "forgotten", input: "My name is Ada." };
    const first = streamed
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body);
    const [item] = first.output;
    const input = [
      { role: "user" as const, content: "My name is Ada." },
      { type: "item_reference" as const, id: item?.id ?? "" },
      { role: "user" as const, content: "And now?" },
    ];
    const second = await client.responses.create({ model: "forgotten", input });
    expect(second.status).toBe("completed");
    expect(JSON.stringify(gateway.upstream.calls().at(-1)?.body)).toContain(first.output_text.slice(0, 20));
    await gateway.database.db.storedResponse.update({ where: { id: first.id }, data: { user_id: 999_999 } });
    await expect(client.responses.create({ model: "forgotten", input })).rejects.toMatchObject({
      status: 404,
    });
    const unknown = [{ type: "item_reference" as const, id: `msg_${"0".repeat(36)}` }];
    await expect(client.responses.create({ model: "forgotten", input: unknown })).rejects.toMatchObject({
      status: 404,
      param: "input.0.id",
    });
  });

  it("returns, lists and deletes stored responses, for their own account only", async () => {
    const made = await client.responses.create({ model: "forgotten", input: "Remember me." });
    expect((await client.responses.retrieve(made.id)).output_text).toBe(made.output_text);
    const items = await client.responses.inputItems.list(made.id);
    expect(JSON.stringify(items.data)).toContain("Remember me.");
    expect(items.data).toMatchObject([
      { type: "message", role: "user", status: "completed", content: [{ type: "input_text" }] },
    ]);
    // Without an error, the library would yield a stream without events.
    await expect(client.responses.retrieve(made.id, { stream: true })).rejects.toMatchObject({
      status: 400,
      param: "stream",
    });
    await client.responses.delete(made.id);
    await expect(client.responses.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it("lists the input of a stored response in pages, the newest item first", async () => {
    const input = ["One", "Two", "Three"].map((content) => ({ role: "user" as const, content }));
    const { id } = await client.responses.create({ model: "forgotten", input });
    const listed = async (order: "asc" | "desc") => {
      const texts: string[] = [];
      for await (const item of client.responses.inputItems.list(id, { limit: 1, order }))
        texts.push(/One|Two|Three/.exec(JSON.stringify(item))?.[0] ?? "");
      return texts;
    };
    expect(await listed("asc")).toEqual(["One", "Two", "Three"]);
    expect(await listed("desc")).toEqual(["Three", "Two", "One"]);
    const [newest] = (await client.responses.inputItems.list(id)).data;
    expect(JSON.stringify(newest)).toContain("Three");
  });

  it("rejects responses that were not to be stored or never existed", async () => {
    const made = await client.responses.create({ model: "forgotten", input: "Forget me.", store: false });
    for (const previous of [made.id, "resp_nobody"])
      await expect(
        client.responses.create({ model: "forgotten", input: "Hi", previous_response_id: previous }),
      ).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  });
});

describe("a provider that stores conversations", () => {
  it("returns 404 for a response that the provider no longer has", async () => {
    const { id } = await client.responses.create({ model: "kept", input: "Forget me." });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({
      status: 404,
      code: "not_found",
      message: expect.stringContaining(`"${id}"`),
    });
  });

  it("stays with the channel and key of the first response", async () => {
    const first = await client.responses.create({ model: "kept", input: "Hello" });
    const key = gateway.upstream.calls().at(-1)?.key;
    for (let round = 0; round < 6; round += 1) {
      await client.responses.create({ model: "kept", input: "Go on", previous_response_id: first.id });
      expect(gateway.upstream.calls().at(-1)?.key).toBe(key);
      expect(gateway.upstream.calls().at(-1)?.body).toMatchObject({ previous_response_id: first.id });
    }
  });

  it("reserves the length of the continued conversation", async () => {
    const token = await gateway.addToken({ unlimited_quota: false, remain_quota: 55_000 });
    const limited = gateway.openai(token.key);
    const long = `[[input=60000]] ${"hi ".repeat(30_000)}`;
    const first = await limited.responses.create({ model: "kept", input: long });
    expect(first.usage?.input_tokens).toBe(60_000);
    const calls = gateway.upstream.calls().length;
    // Another 60,000 tokens cost more than the remaining balance; 10,000 would not.
    await expect(
      limited.responses.create({ model: "kept", input: "Go on", previous_response_id: first.id }),
    ).rejects.toMatchObject({ status: 402, code: "token_quota_exhausted", type: "insufficient_quota" });
    expect(gateway.upstream.calls()).toHaveLength(calls);
    await limited.responses.create({ model: "kept", input: "Something else" });
    expect(await gateway.drift()).toBe(0n);
  });
});
