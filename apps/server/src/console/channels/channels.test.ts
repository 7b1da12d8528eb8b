import type { ChannelRow } from "@gateway/shared/channels/channel";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCandidates } from "#domain/channels/selection/candidates.ts";
import { listen } from "#platform/announcements.ts";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

const input = {
  type: 1,
  name: "One",
  key: "sk-first-key-of-the-channel\n sk-second-key-of-the-channel \n\nsk-first-key-of-the-channel",
  models: ["gpt-4o", "gpt-5*", "gpt-4o"],
  groups: ["default"],
};

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
});
beforeEach(async () => {
  // A new session for every test, so that none uses up another's rate limit.
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

async function create(values: object = {}): Promise<ChannelRow> {
  const answer = await admin.send<ChannelRow>("POST", "/api/channel/", { ...input, ...values });
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
}

const candidates = () => createCandidates(site.services);

describe("a new channel", () => {
  it("works at once, is announced, is recorded, and never shows its keys again", async () => {
    const { db } = site.services;
    const received: number[] = [];
    const ears = await listen(site.database.url, () => {});
    ears.on("channels", (id) => received.push(id));
    const row = await create({ base_url: "https://api.example.com/v1/", model_mapping: { a: "+b" } });
    expect(row).toMatchObject({
      status: 1,
      base_url: "https://api.example.com/v1",
      models: ["gpt-4o", "gpt-5*"],
      key_hints: ["sk-firs…nnel", "sk-seco…nnel"],
      frozen: [],
      weight: 1,
    });
    const channel = (await candidates()).byId(row.id);
    expect(channel?.keys.map((key) => key.key)).toEqual([
      "sk-first-key-of-the-channel",
      "sk-second-key-of-the-channel",
    ]);
    await expect.poll(() => received).toContain(row.id);
    await ears.close();
    const events = await db.channelEvent.findMany({ where: { channel_id: row.id } });
    expect(events).toMatchObject([{ kind: "created" }]);
    const audits = await db.auditEntry.findMany({ where: { target_id: String(row.id) } });
    expect(audits).toMatchObject([{ action: "channel.create", target_type: "channel" }]);
    const shown = [
      await admin.get(`/api/channel/${row.id}`),
      await admin.get("/api/channel?size=100"),
      audits.map((entry) => entry.after),
    ];
    expect(JSON.stringify(shown)).not.toContain("key-of-the-channel");
  });

  it("refuses fields that the caller may not set, by name", async () => {
    const more = { id: 4711, used_quota: 99, status: 3, balance: 5, created_time: 1 };
    const answer = await admin.send("POST", "/api/channel/", { ...input, ...more });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.fields ?? {})).toEqual(Object.keys(more));
  });

  it("needs no key where the provider needs none", async () => {
    const row = await create({ type: 8, key: "", base_url: "http://127.0.0.1:8000" });
    expect(row.key_hints).toEqual([]);
  });
});

describe("a changed channel", () => {
  it("keeps its keys when none is sent, can clear every optional value, and keeps its counters", async () => {
    const { db } = site.services;
    const row = await create({ tag: "t", only_chat: true, other: "o" });
    await db.channel.update({ where: { id: row.id }, data: { used_quota: 77n } });
    const changed = await admin.send<ChannelRow>("PUT", `/api/channel/${row.id}`, {
      ...input,
      key: "",
      models: ["gpt-4o"],
      groups: ["vip"],
      tag: "",
      only_chat: false,
      other: "",
    });
    expect(changed.body.data).toMatchObject({
      tag: "",
      only_chat: false,
      other: "",
      used_quota: 77,
      groups: ["vip"],
      key_hints: row.key_hints,
    });
    const { before, after } = await db.auditEntry.findFirstOrThrow({
      where: { action: "channel.change", target_id: String(row.id) },
    });
    expect([before, after]).toMatchObject([{ tag: "t" }, { tag: "" }]);
  });

  it("keeps the row of a key that stays and deletes the others", async () => {
    const { db } = site.services;
    const row = await create();
    const [first] = await db.channelKey.findMany({
      where: { channel_id: row.id },
      orderBy: { position: "asc" },
    });
    const key = "sk-third-key-of-the-channel\nsk-first-key-of-the-channel";
    await admin.send("PUT", "/api/channel/", { ...input, id: row.id, key });
    const keys = await db.channelKey.findMany({
      where: { channel_id: row.id },
      orderBy: { position: "asc" },
    });
    expect(keys.map((each) => each.key_hint)).toEqual(["sk-thir…nnel", "sk-firs…nnel"]);
    expect(keys[1]?.id).toBe(first?.id);
  });

  it("accepts two parallel changes, one after the other", async () => {
    const row = await create();
    const change = (model: string) =>
      admin.send("PUT", `/api/channel/${row.id}`, { ...input, models: [model, "shared"] });
    const answers = await Promise.all(["a", "b", "c", "d"].map(change));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    const { models } = (await admin.get<ChannelRow>(`/api/channel/${row.id}`)).body.data;
    expect(models).toHaveLength(2);
  });

  it("is switched, ranked and deleted; then it serves no call and its keys are gone", async () => {
    const { db } = site.services;
    const row = await create();
    const path = `/api/channel/${row.id}`;
    await db.channel.update({ where: { id: row.id }, data: { status: 3, status_reason: "no balance" } });
    const on = await admin.send("PATCH", path, { status: 1, priority: 5, weight: 3 });
    expect(on.body.data).toMatchObject({ status: 1, status_reason: "", priority: 5, weight: 3, name: "One" });
    expect((await admin.send("PATCH", path, { status: 2 })).body.data).toMatchObject({ status: 2 });
    expect((await candidates()).byId(row.id)).toBeUndefined();
    for (const patch of [{ status: 3 }, { priority: -1 }, { weight: 0 }, { priority: 1.5 }]) {
      expect((await admin.send("PATCH", path, patch)).status, JSON.stringify(patch)).toBe(400);
    }
    expect((await admin.send("DELETE", path)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
    expect((await admin.send("DELETE", path)).status).toBe(404);
    expect(await db.channelKey.count({ where: { channel_id: row.id } })).toBe(0);
    const events = await db.channelEvent.findMany({ where: { channel_id: row.id }, orderBy: { id: "asc" } });
    expect(events.map((event) => event.kind)).toEqual(["created", "enabled", "disabled", "deleted"]);
  });
});

describe("channels", () => {
  it("are for administrators only", async () => {
    const row = await create();
    const user = await site.as(await site.makeUser({ role: 3 }));
    for (const who of [user, site.guest]) {
      const tries = [
        who.get("/api/channel"),
        who.get(`/api/channel/${row.id}`),
        who.get("/api/providers"),
        who.get("/api/group"),
        who.get("/api/group/names"),
        who.send("POST", "/api/channel", input),
        who.send("PUT", `/api/channel/${row.id}`, input),
        who.send("PATCH", `/api/channel/${row.id}`, { status: 2 }),
        who.send("DELETE", `/api/channel/${row.id}`),
        who.send("POST", `/api/channel/${row.id}/test`),
        who.send("POST", "/api/channel/test", input),
        who.send("POST", "/api/channel/models", input),
      ];
      for (const answer of await Promise.all(tries)) expect([401, 403]).toContain(answer.status);
    }
  });

  it("are described with the names that forms offer", async () => {
    expect((await admin.get("/api/group")).body.data).toEqual(["default", "vip", "svip"]);
    const names = (await admin.get<Record<string, string>>("/api/group/names")).body.data;
    expect(names).toMatchObject({ default: "Default", vip: "VIP" });
    const { data } = (await admin.get<{ type: number }[]>("/api/providers")).body;
    expect(data.map((provider) => provider.type)).toContain(900);
  });
});

describe("a channel test", () => {
  it("uses the stored key, stores the result and reverts an automatic disable", async () => {
    const { db } = site.services;
    const row = await create();
    await db.channel.update({ where: { id: row.id }, data: { status: 3 } });
    site.upstream.ok = false;
    const failed = await admin.send("POST", `/api/channel/${row.id}/test`);
    expect(failed.body.data).toMatchObject({ ok: false, model: "gpt-4o" });
    expect(await db.channel.findUniqueOrThrow({ where: { id: row.id } })).toMatchObject({ status: 3 });
    site.upstream.ok = true;
    const tested = await admin.send("POST", `/api/channel/${row.id}/test`, { model: "gpt-5" });
    expect(tested.body.data).toMatchObject({ ok: true, model: "gpt-5", duration: 12 });
    expect(site.upstream.calls.at(-1)).toMatchObject({
      channel: { id: row.id, key: "sk-first-key-of-the-channel" },
      model: "gpt-5",
    });
    const after = await admin.get<ChannelRow>(`/api/channel/${row.id}`);
    expect(after.body.data).toMatchObject({ status: 1, response_time: 12 });
    expect(await db.channelTest.count({ where: { channel_id: row.id } })).toBe(2);
  });

  it("needs a model", async () => {
    const row = await create({ type: 8, base_url: "http://127.0.0.1:1", models: ["llama*"] });
    expect(await admin.send("POST", `/api/channel/${row.id}/test`)).toMatchObject({
      status: 409,
      body: { fields: { test_model: expect.any(String) } },
    });
  });

  it("works before saving, with the stored key when none is entered", async () => {
    const row = await create();
    const unsaved = { ...input, key: "", name: "Draft", groups: ["not yet"], test_model: "gpt-4.1" };
    expect((await admin.send("POST", "/api/channel/test", unsaved)).body.fields).toHaveProperty("key");
    const answer = await admin.send("POST", "/api/channel/test", { ...unsaved, id: row.id });
    expect(answer.body.data).toMatchObject({ ok: true, model: "gpt-4.1" });
    expect(site.upstream.calls.at(-1)?.channel).toMatchObject({
      name: "Draft",
      key: "sk-first-key-of-the-channel",
    });
    const own = await admin.send("POST", "/api/channel/test", { ...unsaved, id: row.id, key: "typed" });
    expect(own.status).toBe(200);
    expect(site.upstream.calls.at(-1)?.channel.key).toBe("typed");
  });
});

describe("the provider's list of models", () => {
  it("is requested with the entered key, or with the stored one", async () => {
    const row = await create({ model_headers: { "x-team": "blue" } });
    const ask = (body: object) => admin.send("POST", "/api/channel/models", body);
    expect((await ask({ type: 1, key: "typed" })).body.data).toEqual(["model-b", "model-a"]);
    expect((await ask({ type: 1 })).body.fields).toHaveProperty("key");
    expect((await ask({ type: 8, key: "k" })).body.fields).toHaveProperty("base_url");
    expect((await ask({ type: 1, id: row.id })).status).toBe(200);
    expect(site.upstream.calls.at(-1)?.channel).toMatchObject({
      key: "sk-first-key-of-the-channel",
      model_headers: { "x-team": "blue" },
    });
    expect((await ask({ type: 1, id: 999_999 })).status).toBe(404);
  });
});

it("channels: a PUT changes only the fields it contains, with the id in the path or in the body", async () => {
  const made = await create({ name: "kept", priority: 7, tag: "team", models: ["gpt-4o"] });
  const put = (url: string, body: object) => admin.send<ChannelRow>("PUT", url, body);
  const one = await put(`/api/channel/${made.id}`, { name: "renamed" });
  expect(one.body.data).toMatchObject({ name: "renamed", priority: 7, tag: "team", models: ["gpt-4o"] });
  const other = await put("/api/channel", { id: made.id, tag: "" });
  expect(other.body.data).toMatchObject({ name: "renamed", priority: 7, tag: "" });
  expect((await put("/api/channel", { id: true, tag: "x" })).status).toBe(400);
  expect((await put("/api/channel", { tag: "x" })).status).toBe(400);
});
