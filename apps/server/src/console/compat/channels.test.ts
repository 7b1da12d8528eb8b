import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Row, type Rows, type Script, scriptOf } from "./script.fixture.ts";

let site: TestConsole;
let admin: Script;

beforeAll(async () => {
  site = await buildConsole();
  admin = await scriptOf(site, await site.makeUser({ role: 10 }));
  await site.services.db.userGroup.update({ where: { symbol: "vip" }, data: { enable: true } });
});
afterAll(() => site.close());
beforeEach(async () => {
  await site.services.db.channel.updateMany({ data: { deleted_at: new Date() } });
});

/** A channel as One Hub's console sends it. */
const whole = {
  type: 1,
  key: "sk-one",
  name: "One",
  base_url: "",
  other: "",
  models: "gpt-4o,gpt-4o-mini",
  group: "default,vip",
  tag: "",
  model_mapping: '{"a":"b"}',
  model_headers: "",
  custom_parameter: "",
  proxy: "",
  test_model: "gpt-4o",
  only_chat: false,
  pre_cost: 1,
  weight: 2,
  priority: 3,
};

async function make(values: object = {}): Promise<Row> {
  const answer = await admin.send("POST", "/channel/", { ...whole, ...values });
  expect(answer).toMatchObject({ sent: 200, success: true });
  return answer.data;
}
const rows = async (query = "") => (await admin.get<Rows>(`/channel/?size=100${query}`)).data.data;
const read = async (id: number) => (await admin.get(`/channel/${id}`)).data;
const put = (id: number, values: object) => admin.send("PUT", "/channel/", { id, ...values });
const keysOf = (id: number) => site.services.db.channelKey.count({ where: { channel_id: id } });

describe("a channel", () => {
  it("has its lists as text with commas, its maps as JSON in a text, and no null", async () => {
    const made = await make();
    const row = {
      id: made.id,
      type: 1,
      key: "",
      status: 1,
      models: "gpt-4o,gpt-4o-mini",
      group: "default,vip",
      model_mapping: '{"a":"b"}',
      model_headers: "",
      custom_parameter: "",
      test_time: 0,
      response_time: 0,
      balance: 0,
      balance_updated_time: 0,
      used_quota: 0,
      plugin: null,
      only_chat: false,
    };
    expect(made).toMatchObject(row);
    expect(await rows()).toMatchObject([row]);
    const one = await read(made.id);
    expect(one).toMatchObject(row);
    expect(one).not.toHaveProperty("groups");
    expect(one).not.toHaveProperty("disabled_stream");
    expect(Object.values(one)).not.toContain(undefined);
  });

  it("needs a name, a key, models and a group, a weight of at least 1, and may start disabled", async () => {
    for (const [values, message] of [
      [{ name: "" }, /Name is required/],
      [{ key: undefined }, /API key is required/],
      [{ models: "" }, /model is required/],
      [{ models: undefined }, /model is required/],
      [{ group: undefined }, /group is required/],
      [{ type: 8, base_url: "" }, /API address is required/],
      [{ weight: 0 }, /Weight cannot be less than 1/],
      [{ weight: -1 }, /Weight cannot be less than 1/],
    ] as const) {
      const answer = await admin.send("POST", "/channel/", { ...whole, ...values });
      expect([values, answer]).toMatchObject([values, { success: false }]);
      expect(answer.message).toMatch(message);
    }
    const answer = await admin.send("POST", "/channel/", { ...whole, status: 2 });
    expect(answer.data).toMatchObject({ status: 2 });
    const { id } = answer.data;
    for (const change of [{ weight: 0 }, { models: "a", weight: 0 }])
      expect(await put(id, change)).toMatchObject({ success: false });
    expect((await read(id))["weight"]).toBe(2);
  });

  it("is created once for each line of the key, with the corresponding line of the address", async () => {
    const answer = await admin.send("POST", "/channel/", {
      ...whole,
      key: "sk-1\nsk-2\n\nsk-4",
      base_url: "https://a.example\nhttps://b.example",
      tag: "many",
    });
    expect(answer).toMatchObject({ success: true, message: expect.stringContaining("3 channels") });
    const made = await rows("&order=id");
    expect(made.map((row) => [row["name"], row["base_url"], row["tag"]])).toEqual([
      ["One", "https://a.example", "many"],
      ["One_2", "https://b.example", "many"],
      ["One_4", "https://a.example", "many"],
    ]);
    for (const row of made) expect(await keysOf(row.id)).toBe(1);
  });

  it("is changed by a PUT without models: non-empty fields, and fields that may be empty", async () => {
    const { id } = await make({ weight: 5, model_headers: '{"x-a":"1"}' });
    const changes: [object, object][] = [
      [{ name: "Two" }, { name: "Two" }],
      [
        { name: "", tag: "", test_model: "" },
        { name: "Two", test_model: "gpt-4o" },
      ],
      [{ status: 3 }, { status: 3 }],
      [{ status: 2 }, { status: 2 }],
      [{ status: 1 }, { status: 1 }],
      [
        { status: 0, type: 0 },
        { status: 1, type: 1 },
      ],
      [
        { weight: 7, priority: 0 },
        { weight: 7, priority: 0 },
      ],
      [{ group: "vip" }, { group: "vip" }],
      [
        { tag: "t", test_model: "m", other: "o" },
        { tag: "t", test_model: "m", other: "o" },
      ],
      [{ model_mapping: '{"c":"d"}' }, { model_mapping: '{"c":"d"}' }],
      [
        { model_mapping: "", model_headers: "" },
        { model_mapping: "", model_headers: "" },
      ],
      [{ custom_parameter: '{"top_p":1}', models: "" }, { custom_parameter: '{"top_p":1}' }],
      [{ disabled_stream: ["gpt-4o"] }, { disabled_stream: ["gpt-4o"] }],
      [
        { only_chat: true, pre_cost: 2 },
        { only_chat: true, pre_cost: 2 },
      ],
      [
        { models: "gpt-5", tag: "" },
        { models: "gpt-5", tag: "", name: "Two", group: "vip" },
      ],
      [{ type: 8, base_url: "https://c.example", key: "sk-again" }, { type: 8 }],
    ];
    for (const [sent, expected] of changes) {
      const answer = await put(id, sent);
      expect([sent, answer]).toMatchObject([sent, { success: true, data: { id, ...expected } }]);
      expect(await read(id)).toMatchObject(expected);
    }
  });

  it("gets a new key by a PUT, and keeps the stored one when none is sent", async () => {
    const { id } = await make();
    const stored = async () =>
      (await site.services.db.channelKey.findFirstOrThrow({ where: { channel_id: id } })).id;
    const before = await stored();
    await put(id, { key: "", name: "same key" });
    expect(await stored()).toBe(before);
    expect((await put(id, { key: "sk-new" })).success).toBe(true);
    expect(await stored()).not.toBe(before);
    const requested = await site.services.db.channelKey.findFirstOrThrow({ where: { channel_id: id } });
    expect(Buffer.from(requested.key_hash)).toEqual(Buffer.from(site.services.secrets.hash("sk-new")));
  });

  it("can be written back exactly as it was read, and with one field changed", async () => {
    const made = await make({ disabled_stream: ["gpt-4o"], custom_parameter: '{"a":1}' });
    const [before] = await rows();
    expect(await put(made.id, before ?? {})).toMatchObject({ success: true, data: before });
    expect(await keysOf(made.id)).toBe(1);
    expect((await put(made.id, { ...before, group: "default" })).data).toMatchObject({ group: "default" });
    expect((await put(made.id, { ...before, models: "a,b" })).data).toMatchObject({ models: "a,b" });
    const copy = await admin.send("POST", "/channel/", { ...before, key: "sk-copy", name: "Copy" });
    expect(copy.data).toMatchObject({ name: "Copy", models: before?.["models"], group: before?.["group"] });
  });

  it("is found by parts of its name and of a model", async () => {
    await make({ name: "Alpha", models: "o3" });
    await make({ name: "Beta", models: "gpt-5" });
    const names = async (query: string) => (await rows(query)).map((row) => row["name"]);
    expect(await names("&name=bet")).toEqual(["Beta"]);
    expect(await names("&models=o3")).toEqual(["Alpha"]);
    expect(await names("&group=vip&order=name")).toEqual(["Alpha", "Beta"]);
    expect(await names("&type=8")).toEqual([]);
  });

  it("is rejected with the reason when it is invalid", async () => {
    const { id } = await make();
    expect(await put(id, { model_mapping: "{" })).toMatchObject({ sent: 200, status: 400, success: false });
    expect(await put(id, { group: "nowhere" })).toMatchObject({ success: false });
    expect(await put(999_999, { name: "x" })).toMatchObject({ success: false, status: 404 });
    for (const bad of [true, String(id), null])
      expect((await admin.send("PUT", "/channel/", { id: bad, name: "x" })).success).toBe(false);
  });

  it("returns a success when it is already deleted; several are counted", async () => {
    const one = await make();
    const two = await make({ name: "Two" });
    const off = await make({ name: "Off", status: 2 });
    expect(await admin.send("DELETE", `/channel/${one.id}`)).toMatchObject({ success: true });
    expect(await admin.send("DELETE", `/channel/${one.id}`)).toMatchObject({ success: true });
    expect(await admin.send("DELETE", `/channel/${one.id}/tag`)).toMatchObject({ success: true });
    expect((await admin.send<number>("DELETE", "/channel/disabled")).data).toBe(1);
    const batch = { ids: [two.id, off.id], value: "x" };
    expect((await admin.send<number>("DELETE", "/channel/batch", batch)).data).toBe(1);
    expect(await rows()).toEqual([]);
  });

  it("returns the provider's models in One Hub's format", async () => {
    const { id } = await make();
    const ask = (body: object) => admin.send<string[]>("POST", "/channel/provider_models_list", body);
    expect(await ask({ ...whole, plugin: null, id: 0 })).toMatchObject({
      success: true,
      data: ["model-b", "model-a"],
    });
    expect((await ask({ type: 1, key: "", id })).data).toEqual(["model-b", "model-a"]);
  });
});

describe("a tag", () => {
  const tagged = async () => {
    await make({ key: "sk-1\nsk-2", tag: "team" });
    return rows("&tag=team&order=id");
  };

  it("returns its oldest channel without keys, and all of them as a list", async () => {
    const [oldest, newest] = await tagged();
    expect((await admin.get("/channel_tag/team")).data).toEqual({ ...oldest, key: "", KeyMap: {} });
    expect((await admin.get("/channel_tag/team/list")).data).toEqual([oldest, newest]);
    expect((await admin.get("/channel_tag/_all")).data).toMatchObject([{ id: 0, tag: "team" }]);
    expect(await admin.get("/channel_tag/nothing")).toMatchObject({ success: false });
    expect(await admin.get("/channel_tag/nothing/list")).toMatchObject({ success: true, data: [] });
  });

  it("is edited with a channel: keys create and delete channels, the shared fields go to all", async () => {
    const [oldest] = await tagged();
    const pattern = (await admin.get("/channel_tag/team")).data;
    const edit = (values: object) => admin.send("PUT", "/channel_tag/team", { ...pattern, ...values });
    const own = { name: "other", status: 2, priority: 9, weight: 9, type: 8 };
    expect(await edit({ models: "gpt-5", group: "vip", ...own, name: "One" })).toMatchObject({
      success: true,
    });
    expect(await rows("&tag=team&order=id")).toMatchObject([
      {
        id: oldest?.id,
        name: "One",
        models: "gpt-5",
        group: "vip",
        status: 1,
        priority: 3,
        weight: 2,
        type: 1,
      },
      { name: "One_2", models: "gpt-5", group: "vip" },
    ]);
    expect(await edit({ key: "sk-2\nsk-3" })).toMatchObject({ success: true });
    const now = await rows("&tag=team&order=id");
    // One Hub counts from the number of keys before.
    expect(now.map((row) => row["name"])).toEqual(["One_2", "One_2"]);
    for (const row of now) expect(await keysOf(row.id)).toBe(1);
    expect(await edit({ tag: "renamed" })).toMatchObject({ success: true });
    expect((await admin.get<Row[]>("/channel_tag/renamed/list")).data).toHaveLength(2);
    expect(
      await admin.send("PUT", "/channel_tag/renamed/priority", { type: "priority", value: 8 }),
    ).toMatchObject({
      success: true,
    });
    expect(await admin.send("PUT", "/channel_tag/renamed/status/disable")).toMatchObject({ success: true });
    expect(await rows("&tag=renamed")).toMatchObject([{ priority: 8, status: 2 }, { status: 2 }]);
    expect((await admin.send<number>("DELETE", "/channel_tag/renamed/disabled")).data).toBe(2);
    expect(await admin.send("DELETE", "/channel_tag/renamed")).toMatchObject({ success: true });
    expect(await admin.send("DELETE", "/channel_tag/renamed/disabled")).toMatchObject({ success: true });
  });
});
