import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { ChannelRun, ChannelRunDetail } from "@gateway/shared/channels/channel-run";
import type { ModelChangePage } from "@gateway/shared/models/model-change";
import type { Settings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { checkModelLists } from "#jobs/check-model-lists.ts";
import type { JobServices } from "#jobs/job.ts";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
});
beforeEach(async () => {
  const { db } = site.services;
  await db.channelRun.deleteMany();
  await db.channel.deleteMany();
  await db.inboxEntry.deleteMany();
  await db.notice.deleteMany();
  site.upstream.calls.length = 0;
  site.upstream.ok = true;
  site.upstream.models = ["gpt-5", "gpt-5-mini"];
  await set({ ModelListCheckHours: 24 });
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

const set = (settings: Partial<Settings>) => site.services.settings.change(systemActor, settings);

async function create(values: object = {}): Promise<number> {
  const channel = {
    type: 1,
    name: "One",
    key: "sk-a-key",
    models: ["gpt-5"],
    groups: ["default"],
    ...values,
  };
  return (await admin.send<ChannelRow>("POST", "/api/channel", channel)).body.data.id;
}
const changes = async (query = "") =>
  (await admin.get<ModelChangePage>(`/api/channel/model_changes${query}`)).body.data;
const entries = () =>
  site.services.db.inboxEntry.findMany({ where: { event: "models-changed" }, orderBy: { id: "asc" } });

async function ended(): Promise<void> {
  const { db } = site.services;
  await expect.poll(() => db.channelRun.count({ where: { status: "running" } })).toBe(0);
}

/** Checks all channels, and returns the finished run. */
async function check(): Promise<ChannelRunDetail> {
  const started = await admin.send<ChannelRun>("POST", "/api/channel/run", { kind: "models" });
  expect(started.body).toMatchObject({ success: true });
  await ended();
  return (await admin.get<ChannelRunDetail>(`/api/channel/run/${started.body.data.id}`)).body.data;
}

describe("a check of the model lists", () => {
  it("remembers the first list, and reports what a later one adds and removes", async () => {
    const id = await create({ models: ["gpt-5", "gpt-4"] });
    site.upstream.models = ["gpt-5", "gpt-4", "gpt-5-mini"];
    expect((await changes()).checked_time).toBeNull();
    await check();
    expect(await changes()).toMatchObject({ data: [], total_count: 0, checked_count: 1 });
    expect(await entries()).toEqual([]);
    site.upstream.models = ["gpt-5", "gpt-5-mini", "gpt-6", "gpt-6-mini"];
    const { items } = await check();
    expect(items).toMatchObject([{ outcome: "ok", message: "New: 2, removed: 1." }]);
    expect(await changes()).toMatchObject({
      data: [{ channel_id: id, added: ["gpt-6", "gpt-6-mini"], removed: ["gpt-4"], unlisted: [] }],
      total_count: 1,
      counts: { added: 2, removed: 1, unlisted: 0 },
      unchecked: [],
    });
    await check();
    expect(await entries()).toMatchObject([
      {
        count: 1,
        facts: {
          provider: "OpenAI",
          name: "One",
          added: "2",
          removed: "1",
          models: "+gpt-6, +gpt-6-mini, −gpt-4",
        },
      },
    ]);
  });

  it("does not report a model again that was in an earlier list", async () => {
    await create();
    await check();
    site.upstream.models = ["gpt-5"];
    await check();
    site.upstream.models = ["gpt-5", "gpt-5-mini"];
    await check();
    expect(await changes()).toMatchObject({ data: [], counts: { added: 0 } });
    expect(await entries()).toEqual([]);
  });

  it("lists models that were never in the list, such as aliases, without a notification", async () => {
    await create({ models: ["gpt-5", "an-alias"] });
    await check();
    await check();
    expect(await changes()).toMatchObject({ data: [{ added: [], removed: [], unlisted: ["an-alias"] }] });
    expect(await entries()).toEqual([]);
  });

  it("starts anew when the channel gets another address", async () => {
    const id = await create();
    await check();
    const moved = { base_url: "https://other.example", key: "sk-b" };
    expect((await admin.send("PUT", `/api/channel/${id}`, moved)).body).toMatchObject({ success: true });
    site.upstream.models = ["gpt-5", "entirely", "different"];
    await check();
    expect(await changes()).toMatchObject({ data: [], checked_count: 1 });
  });

  it("counts channels of one provider with the same changes in one notification", async () => {
    await create({ name: "One" });
    await create({ name: "Two", key: "sk-b" });
    await check();
    site.upstream.models.push("gpt-6");
    await check();
    expect((await changes("?size=1&page=2")).data).toMatchObject([{ channel_name: "Two", added: ["gpt-6"] }]);
    expect(await entries()).toMatchObject([{ count: 2 }]);
  });

  it("skips providers without a list and names channels whose list failed, without losing what it knew", async () => {
    await create();
    await create({ name: "Music", type: 41, base_url: "https://suno.example", models: ["suno_music"] });
    await check();
    site.upstream.models.push("gpt-6");
    await check();
    site.upstream.models = [];
    await check();
    const seen = await changes();
    expect(seen.data).toMatchObject([{ added: ["gpt-6"], removed: [] }]);
    expect(seen.unchecked).toMatchObject([
      { channel_name: "One", outcome: "failed", message_facts: [{ code: "modelListEmpty" }] },
      { channel_name: "Music", outcome: "skipped", message_facts: [{ code: "modelsNotListed" }] },
    ]);
    site.upstream.ok = false;
    const { run } = await check();
    expect(run).toMatchObject({ ok: 0, failed: 1, skipped: 1 });
    expect((await changes()).unchecked[0]?.message).toContain("HTTP 500.");
  });

  it("ignores names that no channel can have as a model", async () => {
    await create();
    await check();
    site.upstream.models.push("a*b", "x".repeat(161), "line\nbreak", "\0", "gpt-6");
    await check();
    expect((await changes()).data).toMatchObject([{ added: ["gpt-6"] }]);
  });

  it("is refused while another one runs", async () => {
    await create();
    const { db } = site.services;
    await db.channelRun.create({ data: { kind: "models" } });
    const second = await admin.send("POST", "/api/channel/run", { kind: "models" });
    expect([second.status, second.body.message]).toEqual([409, "The model lists are already being checked."]);
    await db.channelRun.updateMany({ data: { status: "done" } });
  });
});

describe("a change", () => {
  async function found(): Promise<number> {
    const id = await create({ models: ["gpt-5", "gpt-5-mini"] });
    await check();
    site.upstream.models = ["gpt-5", "gpt-6", "gpt-7"];
    await check();
    return id;
  }
  const edit = (id: number, mode: "add" | "remove", values: string[]) =>
    admin.send("PUT", "/api/channel/batch", { ids: [id], edit: { models: { mode, values } } });

  it("is settled by editing the channel", async () => {
    const id = await found();
    await edit(id, "add", ["gpt-6"]);
    expect((await changes()).data).toMatchObject([{ added: ["gpt-7"], removed: ["gpt-5-mini"] }]);
    await edit(id, "remove", ["gpt-5-mini"]);
    await edit(id, "add", ["gpt-7*"]);
    expect(await changes()).toMatchObject({ data: [], total_count: 0 });
    await check();
    expect((await changes()).data).toEqual([]);
  });

  it("can be ignored and shown again", async () => {
    const id = await found();
    const path = `/api/channel/${id}/model_changes`;
    await admin.send("PUT", path, { models: ["gpt-6", "unknown"], ignored: true });
    await check();
    expect(await changes()).toMatchObject({ data: [{ added: ["gpt-7"] }], ignored_count: 1 });
    expect((await changes("?ignored=1")).data).toMatchObject([{ added: ["gpt-6"], removed: [] }]);
    await admin.send("PUT", path, { models: ["gpt-6"], ignored: false });
    expect(await changes()).toMatchObject({ data: [{ added: ["gpt-6", "gpt-7"] }], ignored_count: 0 });
    const missing = await admin.send("PUT", "/api/channel/4711/model_changes", {
      models: ["a"],
      ignored: true,
    });
    expect(missing.status).toBe(404);
  });

  it("of a channel that was disabled by a person or deleted is not shown", async () => {
    const id = await found();
    await admin.send("PATCH", `/api/channel/${id}`, { status: 2 });
    expect(await changes()).toMatchObject({ data: [], checked_count: 0, checked_time: null });
    await admin.send("PATCH", `/api/channel/${id}`, { status: 1 });
    expect((await changes()).total_count).toBe(1);
    await admin.send("DELETE", `/api/channel/${id}`);
    expect(await changes()).toMatchObject({ data: [], counts: { added: 0 } });
  });
});

describe("the scheduled check", () => {
  async function tick(): Promise<number> {
    const { db, runner, settings } = site.services;
    await checkModelLists.run({ db, runner, probe: { settings } } as unknown as JobServices);
    await ended();
    return db.channelRun.count({ where: { kind: "models" } });
  }
  const ageChannels = (hours: number) =>
    site.services.db.channel.updateMany({
      data: { created_time: new Date(Date.now() - hours * 3_600_000) },
    });
  const ageRuns = (hours: number) =>
    site.services.db.channelRun.updateMany({
      data: { created_time: new Date(Date.now() - hours * 3_600_000) },
    });

  it("starts an interval after the first channel was added, and repeats", async () => {
    expect(await tick()).toBe(0);
    await create();
    expect(await tick()).toBe(0);
    await ageChannels(25);
    expect(await tick()).toBe(1);
    expect(await tick()).toBe(1);
    await ageRuns(25);
    expect(await tick()).toBe(2);
  });

  it("does nothing when it is off", async () => {
    await set({ ModelListCheckHours: 0 });
    await create();
    await ageChannels(1_000);
    expect(await tick()).toBe(0);
    expect(site.upstream.calls).toEqual([]);
  });

  it("finds its last run behind many tests", async () => {
    await create();
    await ageChannels(25);
    expect(await tick()).toBe(1);
    const tests = Array.from({ length: 25 }, () => ({ kind: "test", status: "done" }));
    await site.services.db.channelRun.createMany({ data: tests });
    await admin.send("POST", "/api/channel/run", { kind: "test" });
    await ended();
    expect(await tick()).toBe(1);
  });
});
