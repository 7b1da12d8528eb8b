import type { ChannelEventRow, ChannelKeyRow, ChannelRow } from "@gateway/shared/channels/channel";
import { plainReason } from "@gateway/shared/reasons";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { disableChannel, disableKey, reviveChannel } from "#domain/channels/health/channel-state.ts";
import { createHealth } from "#domain/channels/health/health.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

/** Tests single keys and the timeline, on a real database. */
let place: TestConsole;
let admin: Browser;

beforeAll(async () => {
  place = await buildConsole();
  admin = await place.as(await place.makeUser({ role: 10 }));
});
afterAll(() => place.close());

const input = { type: 8, base_url: "https://provider.example", models: ["gpt"], groups: ["default"] };

async function addChannel(name: string, key: string): Promise<number> {
  return (await admin.send<ChannelRow>("POST", "/api/channel", { ...input, name, key })).body.data.id;
}
const keysOf = async (id: number) => (await admin.get<ChannelKeyRow[]>(`/api/channel/${id}/keys`)).body.data;
const row = async (id: number) => (await admin.get<ChannelRow>(`/api/channel/${id}`)).body.data;
const events = async (id: number) =>
  (await admin.get<{ data: ChannelEventRow[]; total_count: number }>(`/api/channel/${id}/events`)).body.data;

describe("the keys of a channel", () => {
  it("are replaced or added to, shown as hints only, and a key that stays keeps its row", async () => {
    const id = await addChannel("many", "sk-first-0000000001\nsk-second-000000002");
    const [first] = await keysOf(id);
    const change = (key: string, key_mode?: string) =>
      admin.send("PUT", `/api/channel/${id}`, { ...input, name: "many", key, key_mode });
    await change("sk-third-0000000003\nsk-first-0000000001", "append");
    const three = await keysOf(id);
    expect(three).toHaveLength(3);
    expect(three[0]).toEqual(first);
    expect(JSON.stringify(three)).not.toContain("sk-third-0000000003");
    await change("sk-first-0000000001\nsk-fourth-000000004");
    const replaced = await keysOf(id);
    expect(replaced).toHaveLength(2);
    expect(replaced[0]).toEqual(first);
  });

  it("are weighted, switched and removed, but the last enabled one stays", async () => {
    const id = await addChannel("pair", "sk-left-00000000001\nsk-right-0000000002");
    const [left, right] = await keysOf(id);
    const patch = (key: number | undefined, values: object) =>
      admin.send<ChannelKeyRow[]>("PATCH", `/api/channel/${id}/keys/${key}`, values);
    expect((await patch(left?.id, { weight: 7 })).body.data[0]?.weight).toBe(7);
    expect((await patch(left?.id, { weight: 0 })).status).toBe(400);
    expect((await patch(left?.id, { status: 2 })).body.data[0]?.status).toBe(2);
    expect((await patch(right?.id, { status: 2 })).status).toBe(409);
    expect((await admin.send("DELETE", `/api/channel/${id}/keys/${right?.id}`)).status).toBe(409);
    expect((await admin.send("DELETE", `/api/channel/${id}/keys/${left?.id}`)).status).toBe(200);
    expect(await keysOf(id)).toHaveLength(1);
    expect((await patch(left?.id, { weight: 1 })).status).toBe(404);
    expect((await events(id)).data.map(({ kind }) => kind)).toEqual([
      "key-removed",
      "key-disabled",
      "key-changed",
      "created",
    ]);
    const user = await place.as(await place.makeUser());
    expect((await user.get(`/api/channel/${id}/keys`)).status).toBe(403);
    expect((await user.get(`/api/channel/${id}/events`)).status).toBe(403);
  });

  it("can be deleted when disabled, also while no other key is enabled", async () => {
    const { db } = place.database;
    const id = await addChannel("exhausted", "sk-refused-0000000001\nsk-manual-00000000002");
    const [refused, manual] = await keysOf(id);
    const remove = (key: number | undefined) => admin.send("DELETE", `/api/channel/${id}/keys/${key}`);
    await admin.send("PATCH", `/api/channel/${id}/keys/${manual?.id}`, { status: 2 });
    await disableKey(db, id, refused?.id ?? 0, plainReason("Refused."));
    expect((await keysOf(id)).map(({ status }) => status)).toEqual([3, 2]);
    expect((await remove(refused?.id)).status).toBe(200);
    expect((await remove(manual?.id)).status).toBe(200);
    expect(await keysOf(id)).toEqual([]);
    expect((await remove(manual?.id)).status).toBe(404);
    // Its channel stays disabled until it has a key again.
    expect(await row(id)).toMatchObject({ status: 3, key_hints: [] });
  });

  it("disable their channel when the last one is disabled, and enable it again", async () => {
    const { db } = place.database;
    const id = await addChannel("mortal", "sk-one-000000000001\nsk-two-000000000002");
    const [one, two] = await keysOf(id);
    await disableKey(db, id, one?.id ?? 0, plainReason("Refused."));
    expect(await row(id)).toMatchObject({ status: 1 });
    expect((await keysOf(id))[0]).toMatchObject({ status: 3, status_reason: "Refused." });
    await disableKey(db, id, two?.id ?? 0, plainReason("Refused too."));
    expect(await row(id)).toMatchObject({
      status: 3,
      status_reason: "None of the channel's 2 keys is enabled. Last key disabled: Refused too.",
    });
    expect(await reviveChannel(db, id, two?.id, plainReason("A test went well."))).toBe(true);
    expect(await row(id)).toMatchObject({ status: 1, status_reason: "" });
    expect((await keysOf(id)).map(({ status }) => status)).toEqual([3, 1]);
    expect(await reviveChannel(db, id, two?.id, plainReason("Again."))).toBe(false);

    await disableKey(db, id, two?.id ?? 0, plainReason("Refused."));
    await admin.send("PATCH", `/api/channel/${id}/keys/${one?.id}`, { status: 1 });
    expect((await row(id)).status).toBe(1);
    await disableChannel(db, id, plainReason("Nothing works."));
    await admin.send("PATCH", `/api/channel/${id}`, { status: 1 });
    expect((await keysOf(id)).map(({ status }) => status)).toEqual([1, 1]);
  });
});

describe("the timeline of a channel", () => {
  it("shows who changed what, newest first, and what the gateway did automatically", async () => {
    const id = await addChannel("old", "sk-0000000000000001");
    await admin.send("PUT", `/api/channel/${id}`, {
      ...input,
      name: "new",
      key: "",
      system_prompt: "Be kind.",
    });
    await disableChannel(place.database.db, id, plainReason("Nothing works."));
    const { data, total_count } = await events(id);
    expect(total_count).toBe(3);
    expect(data).toMatchObject([
      { kind: "auto-disabled", reason: "Nothing works.", username: null },
      { kind: "changed", fields: ["name", "system_prompt"], username: expect.any(String) },
      { kind: "created", fields: [], username: expect.any(String) },
    ]);
  });
});

describe("what the gateway observes of a channel", () => {
  it("is recorded: a model that fails too often is paused, and works again after one successful call", async () => {
    const id = await addChannel("shaky", "sk-0000000000000002");
    let clock = Date.now();
    const health = createHealth(place.database.db, {
      now: () => clock,
      onError: (error) => {
        throw error;
      },
      test: async (_channel, model) => ({
        ok: false,
        model,
        duration: 1,
        message: "HTTP 500",
        message_facts: [],
        fault: "timeout",
      }),
    });
    const tried = { channel: channel({ id }), key: undefined };
    const failure = { kind: "timeout", status: 0, message: "" } as const;
    for (let call = 0; call < 9; call += 1)
      health.failed(tried, "gpt", failure, { account: 1, cooldownSeconds: 0, mayDisable: true });
    const kinds = async () => (await events(id)).data.map(({ kind, model }) => [kind, model]);
    await expect.poll(kinds).toEqual([
      ["circuit-opened", "gpt"],
      ["created", ""],
    ]);
    clock += 31_000;
    expect(health.freezes(id)).toMatchObject([{ reason: "probing" }]);
    health.enter(tried.channel, "gpt");
    health.succeeded(tried, "gpt", 1);
    await expect.poll(async () => (await kinds())[0]).toEqual(["circuit-closed", "gpt"]);
    expect(health.freezes(id)).toEqual([]);
  });

  it("disables it when no call succeeded for minutes, with the reason, but not after one bad moment", async () => {
    const id = await addChannel("dead", "sk-0000000000000003");
    let clock = Date.now();
    let fault = "";
    let tests = 0;
    const health = createHealth(place.database.db, {
      now: () => clock,
      onError: () => undefined,
      async test(_channel, model) {
        tests += 1;
        return { ok: fault === "", model, duration: 1, message: "HTTP 502", message_facts: [], fault };
      },
    });
    const tried = { channel: channel({ id }), key: undefined };
    const fail = () =>
      health.failed(
        tried,
        "gpt",
        { kind: "network", status: 0, message: "" },
        { account: 1, cooldownSeconds: 0, mayDisable: true },
      );
    for (let call = 0; call < 30; call += 1) fail();
    expect((await row(id)).status).toBe(1);
    clock += 6 * 60_000;
    // The channel passes a test: only the calls failed.
    const before = tests;
    fail();
    await expect.poll(() => tests).toBeGreaterThan(before);
    expect((await row(id)).status).toBe(1);
    fault = "network";
    for (let call = 0; call < 30; call += 1) fail();
    clock += 6 * 60_000;
    fail();
    await expect.poll(async () => (await row(id)).status).toBe(3);
    expect((await row(id)).status_reason).toBe(
      "None of 31 calls in 6 minutes succeeded (last error: network). A test also failed (HTTP 502).",
    );
  });

  it("disables a key after refusals only when a test with the key is refused as well", async () => {
    const id = await addChannel("refused", "sk-0000000000000004");
    let fault = "";
    let tests = 0;
    let clock = Date.now();
    const health = createHealth(place.database.db, {
      now: () => clock,
      onError: () => undefined,
      async test(_channel, model) {
        tests += 1;
        return {
          ok: fault === "",
          model,
          duration: 1,
          message: "HTTP 403: forbidden",
          message_facts: [],
          fault,
        };
      },
    });
    const tried = { channel: channel({ id }), key: undefined };
    const refuse = (accounts: number[]) => {
      for (const account of accounts)
        health.failed(
          tried,
          "gpt",
          { kind: "auth", status: 403, message: "" },
          { account, cooldownSeconds: 0, mayDisable: true },
        );
    };
    // Neither one account, nor three that act together.
    refuse([1, 1, 1, 1, 1, 1]);
    await expect.poll(() => tests).toBe(1);
    clock += 61_000;
    refuse([1, 2, 3, 1, 2, 3]);
    await expect.poll(() => tests).toBe(2);
    expect((await row(id)).status).toBe(1);
    clock += 61_000;
    fault = "auth";
    refuse([1, 1, 1]);
    await expect.poll(async () => (await row(id)).status).toBe(3);
    expect((await row(id)).status_reason).toBe(
      "The provider refuses the key. 3 calls in a row failed, and a test also failed (HTTP 403: forbidden).",
    );
  });
});

describe("JSON that an operator enters", () => {
  it("is rejected with the invalid position inside it", async () => {
    const fieldsOf = async (values: object) =>
      (await admin.send("POST", "/api/channel", { ...input, name: "x", key: "k", ...values })).body.fields;
    expect(await fieldsOf({ custom_parameter: { overwrite: "yes" } })).toEqual({
      "custom_parameter.overwrite": "It must be true or false",
    });
    expect(await fieldsOf({ custom_parameter: { per_model: true, gpt: 1 } })).toHaveProperty([
      "custom_parameter.gpt",
    ]);
    expect(await fieldsOf({ model_headers: { "x bad": "1" } })).toHaveProperty(["model_headers.x bad"]);
    expect(await fieldsOf({ max_concurrency: -1 })).toHaveProperty(["max_concurrency"]);
    const broken = await fieldsOf({ type: 25, plugin: { code_execution: { enable: "maybe" } } });
    expect(broken).toHaveProperty(["plugin.code_execution.enable"]);
  });
});
