import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";

/** Compaction for every upstream: by the provider, or as a summary that only the gateway can read. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const upstreams = { chat: 8, anthropic: 14, gemini: 25, refusing: 1 };
  for (const [name, type] of Object.entries(upstreams))
    await gateway.addChannel({ type, name, models: [name], model_mapping: { [name]: "demo-chat" } });
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key } = await gateway.addToken());
});
afterAll(() => gateway.stop());

const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

interface Item {
  type: string;
  encrypted_content?: string;
}

async function post(path: string, body: object, apiKey = key): Promise<Response> {
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function compacted(model: string): Promise<Item[]> {
  const input = [
    user("The password of the boat is swordfish."),
    { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "Nothing." },
    user("Go on. [[say=Summary: swordfish.]]"),
  ];
  const answer = await post("/v1/responses/compact", { model, instructions: "Be brief.", input });
  expect(answer.status).toBe(200);
  const body = (await answer.json()) as { object: string; output: Item[]; usage: object };
  expect(body).toMatchObject({ object: "response.compaction", usage: { total_tokens: expect.any(Number) } });
  return body.output;
}

const lastSent = () => JSON.stringify(gateway.upstream.calls().at(-1)?.body);

describe.each(["chat", "anthropic", "gemini"])("compaction with an upstream of %s", (model) => {
  it("returns one sealed item, billed once, that is replaced by the summary later", async () => {
    gateway.upstream.control.set({ say: "Summary: swordfish." });
    const output = await compacted(model);
    expect(output.map(({ type }) => type)).toEqual(["compaction"]);
    expect(output[0]?.encrypted_content).not.toContain("swordfish");
    expect(lastSent()).toContain("Write a summary of this conversation");
    const [row] = await gateway.logs();
    expect(row).toMatchObject({ endpoint: "/v1/responses/compact", outcome: "complete" });
    expect(row?.quota).toBeGreaterThan(0);
    gateway.upstream.control.reset();
    const next = await post("/v1/responses", { model, store: false, input: [...output, user("Next.")] });
    expect(next.status).toBe(200);
    expect(lastSent()).toContain("Summary: swordfish.");
    expect(await gateway.database.db.reservation.count()).toBe(0);
    expect(await gateway.drift()).toBe(0n);
  });

  it("is requested by the last item of a stream, as Codex does", async () => {
    gateway.upstream.control.set({ say: "Summary: swordfish." });
    const answer = await post("/v1/responses", {
      model,
      store: false,
      stream: true,
      tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
      input: [user("Hi"), { type: "compaction_trigger" }],
    });
    const events = (await answer.text())
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map(
        (line) => JSON.parse(line.slice(6)) as { type: string; item?: Item; response?: { output: Item[] } },
      );
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events[3]?.item?.type).toBe("compaction");
    expect(events[4]?.response?.output).toHaveLength(1);
    expect(lastSent()).not.toContain("compaction_trigger");
  });
});

describe("a compacted conversation", () => {
  it("is summarized when a provider of Responses rejects compaction", async () => {
    gateway.upstream.control.set({ status: 400, times: 1 });
    const output = await compacted("refusing");
    expect(output[0]?.encrypted_content).toMatch(/^gwc1[.]/);
    const calls = gateway.upstream.calls().map(({ path }) => path);
    expect(calls[0]).toBe("/v1/responses/compact");
    expect(calls).toHaveLength(2);
    expect(await gateway.drift()).toBe(0n);
  });

  it("is compacted by a provider that supports it", async () => {
    const output = await compacted("refusing");
    expect(output.find(({ type }) => type === "compaction")?.encrypted_content).not.toMatch(/^gwc1[.]/);
  });

  it("of another account, or modified, is rejected with the field", async () => {
    gateway.upstream.control.set({ say: "Summary." });
    const [item] = await compacted("chat");
    const changed = { ...item, encrypted_content: `${item!.encrypted_content!.slice(0, -4)}AAAA` };
    const answer = await post("/v1/responses", { model: "chat", input: [changed, user("Next.")] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: "input.0.encrypted_content" } });
  });

  it("of an unknown model returns an ordinary error", async () => {
    expect((await post("/v1/responses/compact", { model: "none", input: [user("Hi")] })).status).toBe(404);
  });
});

describe("compaction above a threshold", () => {
  const filler = Array.from({ length: 400 }, (_, index) => `Line ${index} of the story of the boat.`).join(
    " ",
  );
  const long = [user(`The password is swordfish. ${filler}`), user("Go on.")];
  const above = (compact_threshold: unknown) => [{ type: "compaction", compact_threshold }];

  for (const model of ["chat", "anthropic", "gemini"])
    it(`replaces the conversation at an upstream of ${model}`, nightly(model !== "anthropic"), async () => {
      gateway.upstream.control.set({ say: "Summary: swordfish." });
      const body = { model, store: false, context_management: above(1_000) };
      const answer = await post("/v1/responses", { ...body, input: long });
      const { output } = (await answer.json()) as { output: Item[] };
      expect(output.map(({ type }) => type)).toEqual(["compaction", "message"]);
      const [summary, rest] = gateway.upstream.calls().map((call) => JSON.stringify(call.body));
      expect(summary).toContain("Write a summary of this conversation");
      expect(rest).toContain("Summary: swordfish.");
      expect(rest).not.toContain("Line 7 of the story");
      expect((await gateway.logs(2)).slice(0, 2).every((row) => row.quota > 0)).toBe(true);
      // A client may send everything again, or only what follows the item.
      for (const input of [[...long, ...output], output]) {
        await post("/v1/responses", { ...body, input: [...input, user("Next.")] });
        expect(lastSent()).toContain("Summary: swordfish.");
        expect(lastSent()).not.toContain("Line 7 of the story");
      }
      expect(gateway.upstream.calls()).toHaveLength(4);
      await expect.poll(() => gateway.database.db.reservation.count()).toBe(0);
      expect(await gateway.drift()).toBe(0n);
    });

  it("puts the item before the others of a stream", async () => {
    gateway.upstream.control.set({ say: "Summary: swordfish." });
    const body = { model: "chat", store: false, stream: true, context_management: above(1_000), input: long };
    const text = await (await post("/v1/responses", body)).text();
    const events = text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
    const items = events.filter(({ type }) => type === "response.output_item.added");
    expect(items).toMatchObject([
      { output_index: 0, item: { type: "compaction" } },
      { output_index: 1, item: { type: "message" } },
    ]);
    expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { output: [{ type: "compaction" }, { type: "message" }] },
    });
  });

  it.each([
    ["below the threshold", above(1_000_000)],
    ["without a usable threshold", above("many")],
    ["with another kind of management", [{ type: "other" }]],
  ])("changes nothing %s", async (_what, context_management) => {
    const answer = await post("/v1/responses", {
      model: "chat",
      store: false,
      context_management,
      input: long,
    });
    const { output } = (await answer.json()) as { output: Item[] };
    expect(output.map(({ type }) => type)).toEqual(["message"]);
    expect(lastSent()).toContain("Line 7 of the story");
    expect(gateway.upstream.calls()).toHaveLength(1);
  });

  it("gives back the tokens per minute of a call whose summary exceeds them", async () => {
    // Enough for the call, not for a summary beside it.
    const rates = { tokens_per_minute: 10_000 };
    const limited = await gateway.addToken({ setting: { rates } });
    const body = { model: "chat", store: false, max_output_tokens: 500, context_management: above(1_000) };
    const answer = await post("/v1/responses", { ...body, input: long }, limited.key);
    expect(answer.status).toBe(429);
    const next = await post(
      "/v1/responses",
      { model: "chat", input: "Hi", max_output_tokens: 1 },
      limited.key,
    );
    expect(Number(next.headers.get("x-ratelimit-remaining-tokens"))).toBeGreaterThan(9_000);
  });

  it("is left to a provider with Responses", async () => {
    const answer = await post("/v1/responses", {
      model: "refusing",
      store: false,
      context_management: above(1_000),
      input: long,
    });
    expect(answer.status).toBe(200);
    expect(gateway.upstream.calls()).toHaveLength(1);
    expect(lastSent()).toContain('"compact_threshold":1000');
  });

  it("answers the whole conversation when the summary fails", async () => {
    gateway.upstream.control.set({ status: 500, times: 1 });
    await gateway.api("PUT", "/option", { key: "RetryTimes", value: 0 });
    const body = { model: "chat", store: false, context_management: above(1_000), input: long };
    const answer = await post("/v1/responses", body);
    const { output } = (await answer.json()) as { output: Item[] };
    expect(output.map(({ type }) => type)).toEqual(["message"]);
    expect(lastSent()).toContain("Line 7 of the story");
  });
});

describe.each(["chat", "refusing"])("compaction of a session, with an upstream of %s", (model) => {
  const compact = (headers: Record<string, string>) =>
    fetch(`${gateway.url}/v1/responses/compact`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model, input: [user("Hi")] }),
    });

  it("is in the log of the session", async () => {
    expect((await compact({ session_id: `log ${model}` })).status).toBe(200);
    const [row] = await gateway.logs();
    expect(row).toMatchObject({ endpoint: "/v1/responses/compact", session: { id: `log ${model}` } });
  });

  it("counts against the budget of the session", async () => {
    const named = { session_id: `budget ${model}` };
    const first = await compact({ ...named, "x-session-budget": "1" });
    expect(first.headers.get("x-session-budget-limit")).toBe("1.000000");
    const refused = await compact({ ...named, "x-session-budget": "0" });
    expect(refused.status).toBe(402);
    expect((await compact({ ...named, "x-session-budget": "-1" })).status).toBe(400);
    expect(await gateway.database.db.reservation.count({ where: { version: 0 } })).toBe(0);
  });

  it("is served by the channel of the session", async () => {
    const twin = { type: model === "chat" ? 8 : 1, models: [`twin-${model}`] };
    const mapping = { model_mapping: { [`twin-${model}`]: "demo-chat" } };
    for (const name of ["one", "two"])
      await gateway.addChannel({ ...twin, ...mapping, name: `${name} ${model}` });
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      session_id: `channel ${model}`,
    };
    const used = new Set<number>();
    for (let call = 0; call < 8; call += 1)
      for (const path of ["/v1/responses", "/v1/responses/compact"]) {
        const body = JSON.stringify({ model: `twin-${model}`, input: [user("Hi")], store: false });
        const answer = await fetch(gateway.url + path, { method: "POST", headers, body });
        expect(answer.status).toBe(200);
        await answer.text();
      }
    for (const row of await gateway.logs(16))
      if (row.session?.id === headers.session_id) used.add(row.channel_id);
    expect([...used]).toHaveLength(1);
  });
});
