import type { ChannelRow } from "@gateway/shared/channels/channel";
import type {
  ChannelBatchAnswer,
  ChannelEditAnswer,
  ChannelExport,
  ChannelImportAnswer,
  ChannelTag,
  ChannelTagAnswer,
} from "@gateway/shared/channels/channel-batch";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { importChannels } from "#domain/channels/transfer.ts";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;
let root: Browser;

beforeAll(async () => {
  site = await buildConsole();
});
beforeEach(async () => {
  await site.services.db.channel.deleteMany();
  admin = await site.as(await site.makeUser({ role: 10 }));
  root = await site.as(await site.makeUser({ role: 100 }));
});
afterAll(() => site.close());

async function create(values: object): Promise<ChannelRow> {
  const channel = { type: 1, key: "sk-a-key", models: ["a", "b"], groups: ["default"], ...values };
  const answer = await admin.send<ChannelRow>("POST", "/api/channel", channel);
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
}
const read = async (id: number) => (await admin.get<ChannelRow>(`/api/channel/${id}`)).body.data;
const count = () => site.services.db.channel.count({ where: { deleted_at: null } });

describe("an edit of many channels", () => {
  const edit = { models: { mode: "add", values: ["c"] }, priority: 7 };

  it("shows a preview first, and changes nothing", async () => {
    const one = await create({ name: "One" });
    const two = await create({ name: "Two", models: ["c"], priority: 7 });
    const answer = await admin.send<ChannelEditAnswer>("PUT", "/api/channel/batch", {
      ids: [one.id, two.id],
      edit,
      preview: true,
    });
    expect(answer.body.data).toEqual({
      preview: true,
      changed: [
        {
          id: one.id,
          name: "One",
          changes: [
            { field: "models", removed: [], added: ["c"] },
            { field: "priority", removed: ["0"], added: ["7"] },
          ],
          before: { models: ["a", "b"], priority: 0 },
        },
      ],
      unchanged: 1,
      failed: [],
    });
    expect(await read(one.id)).toMatchObject({ models: ["a", "b"], priority: 0 });
  });

  it("returns the previous values, which undo the change", async () => {
    const { id } = await create({ name: "One", model_mapping: { a: "b" } });
    const before = await read(id);
    const edit = {
      models: { mode: "replace", values: ["z"] },
      model_mapping: { mode: "remove", values: { a: "b" } },
      weight: 9,
    };
    const { body } = await admin.send<ChannelEditAnswer>("PUT", "/api/channel/batch", { ids: [id], edit });
    expect(await read(id)).toMatchObject({ models: ["z"], model_mapping: {}, weight: 9 });
    await admin.send("PUT", `/api/channel/${id}`, body.data.changed[0]?.before);
    expect(await read(id)).toEqual(before);
  });

  it("keeps successful changes and names the failed ones, with the reason", async () => {
    const one = await create({ name: "One" });
    const two = await create({ name: "Two", models: ["a"] });
    const answer = await admin.send<ChannelEditAnswer>("PUT", "/api/channel/batch", {
      ids: [one.id, two.id, 999_999],
      edit: { models: { mode: "remove", values: ["a"] } },
    });
    expect(answer.body.data.changed.map((each) => each.id)).toEqual([one.id]);
    expect(answer.body.data.failed).toEqual([
      {
        id: two.id,
        name: "Two",
        message: "At least one model must remain on the channel.",
        code: "invalid_request",
        params: { reason: "no_model_left" },
      },
      {
        id: 999_999,
        name: "#999999",
        message: "Channel not found.",
        code: "not_found",
        params: { reason: "channel_not_found" },
      },
    ]);
    expect((await read(one.id)).models).toEqual(["b"]);
    expect(await read(two.id)).toMatchObject({ models: ["a"], key_hints: two.key_hints });
    const audits = await site.services.db.auditEntry.findMany({ where: { action: "channel.change" } });
    expect(audits.map((entry) => entry.target_id)).toContain(String(one.id));
  });

  it("rejects invalid values with a message before changing any channel", async () => {
    const { id } = await create({ name: "One" });
    const bad: [object, RegExp][] = [
      [{ edit: { priority: -1 } }, /Priority cannot be less than 0/],
      [{ edit: { weight: 0 } }, /Weight cannot be less than 1/],
      [{ edit: { models: { mode: "add", values: ["*"] } } }, /wildcard/],
      [{ edit: {}, ids: [] }, /Choose at least one channel/],
    ];
    for (const [body, sentence] of bad) {
      const answer = await admin.send("PUT", "/api/channel/batch", { ids: [id], ...body });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(sentence);
    }
    const unknown = await admin.send<ChannelEditAnswer>("PUT", "/api/channel/batch", {
      ids: [id],
      edit: { groups: { mode: "replace", values: ["nobody"] } },
      preview: true,
    });
    expect(unknown.body.data.failed[0]?.message).toBe('groups: There is no group named "nobody".');
  });

  it("removes names that were stored before they were checked, and adds no such name", async () => {
    const { id } = await create({ name: "One" });
    const stray = "bad?name#of a model ";
    await site.services.db.channelModel.create({ data: { channel_id: id, model: stray, position: 9 } });
    await site.services.db.channel.update({ where: { id }, data: { model_mapping: { [stray]: "b" } } });
    const change = (mode: string) =>
      admin.send<ChannelEditAnswer>("PUT", "/api/channel/batch", {
        ids: [id],
        edit: {
          models: { mode, values: [stray] },
          model_mapping: { mode, values: { [stray]: "" } },
        },
      });
    expect((await change("add")).status).toBe(400);
    expect((await change("replace")).status).toBe(400);
    expect((await change("remove")).body.data.changed.map((each) => each.id)).toEqual([id]);
    expect(await read(id)).toMatchObject({ models: ["a", "b"], model_mapping: {} });
  });

  it("returns a number for the older API's two special cases", async () => {
    const one = await create({ name: "One" });
    const body = { ids: [one.id], value: "a" };
    expect((await admin.send("PUT", "/api/channel/batch/del_model", body)).body.data).toBe(1);
    const version = { ids: [one.id], value: "2025-01-01" };
    expect((await admin.send("PUT", "/api/channel/batch/azure_api", version)).body.data).toBe(1);
    expect(await read(one.id)).toMatchObject({ models: ["b"], other: "2025-01-01" });
  });
});

describe("many channels", () => {
  it("are enabled, disabled and deleted, with a result for each", async () => {
    const ids = [(await create({ name: "One" })).id, (await create({ name: "Two" })).id];
    const off = await admin.send<ChannelBatchAnswer>("PUT", "/api/channel/batch/status/disable", { ids });
    expect(off.body.data).toEqual({ done: ids, failed: [] });
    expect((await read(ids[0]!)).status).toBe(2);
    const gone = await admin.send<ChannelBatchAnswer>("DELETE", "/api/channel/batch", { ids: [...ids, 77] });
    expect(gone.body.data).toMatchObject({ done: ids, failed: [{ id: 77 }] });
    expect(await count()).toBe(0);
  });

  it("are deleted together if disabled, and no others", async () => {
    const stays = await create({ name: "On" });
    const off = await create({ name: "Off" });
    await admin.send("PATCH", `/api/channel/${off.id}`, { status: 2 });
    const answer = await admin.send<ChannelBatchAnswer>("DELETE", "/api/channel/disabled");
    expect(answer.body.data.done).toEqual([off.id]);
    expect((await read(stays.id)).id).toBe(stays.id);
  });
});

describe("a copy", () => {
  it("has all fields, also the keys, and is disabled until an administrator enables it", async () => {
    const { db } = site.services;
    const one = await create({ name: "One", key: "sk-first-key\nsk-second-key", tag: "lab" });
    const copy = (await admin.send<ChannelRow>("POST", `/api/channel/${one.id}/copy`)).body.data;
    expect(copy).toMatchObject({ name: "One_copy", status: 2, tag: "lab", key_hints: one.key_hints });
    const [from, to] = await Promise.all(
      [one.id, copy.id].map((channel_id) => db.channelKey.findMany({ where: { channel_id } })),
    );
    expect(to?.map((key) => key.key_hash)).toEqual(from?.map((key) => key.key_hash));
  });
});

describe("an export", () => {
  it("contains no key unless root requests them, which is recorded", async () => {
    await create({ name: "One", key: "sk-a-very-secret-key" });
    const plain = await admin.send<ChannelExport>("POST", "/api/channel/export", {});
    expect(plain.body.data).toMatchObject({
      version: 1,
      with_keys: false,
      channels: [{ name: "One", key: "" }],
    });
    expect(JSON.stringify(plain.body)).not.toContain("very-secret");
    expect((await admin.send("POST", "/api/channel/export/keys", {})).status).toBe(403);
    const whole = await root.send<ChannelExport>("POST", "/api/channel/export/keys", {});
    expect(whole.body.data.channels[0]?.key).toBe("sk-a-very-secret-key");
    const audits = await site.services.db.auditEntry.findMany({
      where: { action: { startsWith: "channel.export" } },
      orderBy: { id: "asc" },
    });
    expect(audits.map((entry) => entry.action)).toEqual(["channel.export", "channel.export_keys"]);
    expect(JSON.stringify(audits.map((entry) => entry.after))).not.toContain("very-secret");
  });

  it("with many faulty entries are imported in turns of the event loop", async () => {
    const models = Array.from({ length: 4_950 }, () => 0);
    const channels = Array.from({ length: 20 }, () => ({
      type: 1,
      name: "bad",
      groups: ["default"],
      models,
    }));
    let [turns, isOver] = [0, false];
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const { failed } = await importChannels(site.services, systemActor, channels);
    isOver = true;
    expect(failed).toHaveLength(channels.length);
    expect(turns).toBeGreaterThan(channels.length / 2);
  });

  it("can be imported unchanged; an entry without its key waits for one, an invalid one does not stop the others", async () => {
    const one = await create({ name: "One", key: "sk-a\nsk-b", model_mapping: { a: "+b" }, weight: 4 });
    const whole = await root.send<ChannelExport>("POST", "/api/channel/export/keys", { ids: [one.id] });
    const [portable] = whole.body.data.channels;
    const answer = await admin.send<ChannelImportAnswer>("POST", "/api/channel/import", {
      channels: [
        { ...portable, name: "Back" },
        { ...portable, name: "Keyless", key: "" },
        { ...portable, name: "Bad", weight: 0 },
        "no channel at all",
      ],
    });
    const { created, failed } = answer.body.data;
    expect(created.map(({ index, name, needs_key }) => [index, name, needs_key])).toEqual([
      [0, "Back", false],
      [1, "Keyless", true],
    ]);
    expect(failed).toMatchObject([
      { index: 2, name: "Bad", field: "weight", params: { reason: "weight_too_small", field: "weight" } },
      { index: 3, name: "" },
    ]);
    const back = await read(created[0]!.id);
    expect(back).toMatchObject({
      model_mapping: { a: "+b" },
      weight: 4,
      status: 1,
      key_hints: one.key_hints,
    });
    expect(await read(created[1]!.id)).toMatchObject({ status: 2, key_hints: [] });
  });
});

describe("a tag", () => {
  const tags = async () => (await admin.get<ChannelTag[]>("/api/channel_tag/_all")).body.data;

  it("is summed over its channels", async () => {
    await create({ name: "One", tag: "lab", priority: 2 });
    const two = await create({ name: "Two", tag: "lab", type: 14, weight: 5 });
    await create({ name: "Loose" });
    await admin.send("PATCH", `/api/channel/${two.id}`, { status: 2 });
    expect(await tags()).toMatchObject([
      {
        tag: "lab",
        total: 2,
        enabled: 1,
        disabled: 1,
        types: [1, 14],
        priority: { min: 0, max: 2 },
        weight: { min: 1, max: 5 },
      },
    ]);
    const names = async (query: string) =>
      (await admin.get<{ data: ChannelRow[] }>(`/api/channel?${query}`)).body.data.data.map(
        (row) => row.name,
      );
    expect(await names("filter_tag=1")).toEqual(["Loose"]);
    expect(await names("filter_tag=2")).toEqual(["Two", "One"]);
    expect((await admin.get("/api/channel_tag/nobody/list")).status).toBe(404);
  });

  it("is edited as a whole, and a list of keys adds channels but deletes none unless requested", async () => {
    const one = await create({ name: "One", tag: "lab", key: "sk-number-one" });
    const two = await create({ name: "Two", tag: "lab", key: "sk-number-two" });
    const body = { edit: { models: { mode: "add", values: ["c"] } }, key: "sk-number-two\nsk-number-three" };
    const edit = (more: object) =>
      admin.send<ChannelTagAnswer>("PUT", "/api/channel_tag/lab", { ...body, ...more });

    const seen = (await edit({ preview: true, remove_missing: true })).body.data;
    expect(seen.added).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain("sk-number-three");
    expect(seen.removed).toEqual([{ id: one.id, name: "One" }]);
    expect(await count()).toBe(2);

    const first = (await edit({})).body.data;
    expect(first).toMatchObject({ added: ["Two_3"], removed: [], failed: [] });
    expect((await read(one.id)).models).toEqual(["a", "b", "c"]);
    const second = (await edit({ remove_missing: true })).body.data;
    expect(second).toMatchObject({ added: [], removed: [{ id: one.id, name: "One" }] });
    const left = (await admin.get<ChannelRow[]>("/api/channel_tag/lab/list")).body.data;
    expect(left.map((row) => row.name)).toEqual(["Two_3", "Two"]);
    expect(left.map((row) => row.id)).toContain(two.id);
    expect(left[0]?.models).toEqual(["a", "b", "c"]);
  });

  it("is ranked, switched, removed from a channel and deleted", async () => {
    const one = await create({ name: "One", tag: "a b/c" });
    const two = await create({ name: "Two", tag: "a b/c" });
    const at = `/api/channel_tag/${encodeURIComponent("a b/c")}`;
    const rank = await admin.send<ChannelBatchAnswer>("PUT", `${at}/priority`, {
      type: "priority",
      value: 9,
    });
    expect(rank.body.data.done).toEqual([one.id, two.id]);
    expect((await admin.send("PUT", `${at}/priority`, { type: "priority", value: -1 })).status).toBe(400);
    await admin.send("PUT", `${at}/status/disable`);
    expect(await tags()).toMatchObject([{ enabled: 0, disabled: 2, priority: { min: 9, max: 9 } }]);
    await admin.send("PUT", `${at}/status/enable`);
    expect((await admin.send("PUT", `${at}/status/maybe`)).status).toBe(400);
    await admin.send("DELETE", `/api/channel/${one.id}/tag`);
    expect(await tags()).toMatchObject([{ total: 1, enabled: 1 }]);
    const gone = await admin.send<ChannelBatchAnswer>("DELETE", at);
    expect(gone.body.data.done).toEqual([two.id]);
    expect(await tags()).toEqual([]);
    expect((await read(one.id)).tag).toBe("");
  });
});
