import { expect } from "vitest";
import type { Audit, Row } from "./audit.ts";
import { channel } from "./shapes.ts";

const filters = [
  "type=1",
  "status=1",
  "group=default",
  "models=gpt-4o",
  "other=",
  "test_model=gpt",
  "key=sk-a",
  "filter_tag=0",
  "filter_tag=1",
  "filter_tag=2",
  "order=name",
  "order=-type,status",
  "order=response_time",
  "order=balance",
  "order=priority",
  "order=-weight",
  "page=0",
  "page=-1",
  "size=0",
];

const parts: Record<string, unknown>[] = [
  { status: 2 },
  { status: 3 },
  { status: 1 },
  { weight: 1 },
  { priority: 0 },
  { name: "renamed" },
  { type: 8 },
  { tag: "other-tag" },
  { other: "x" },
  { test_model: "o3" },
  { model_mapping: '{"x":"y"}' },
  { model_mapping: "" },
  { custom_parameter: '{"a":1}' },
  { group: "vip" },
  { only_chat: true },
  { pre_cost: 2 },
  { compatible_response: true },
  { allow_extra_body: true },
  { disabled_stream: ["o3"] },
];

/** Makes three channels of one tag, and returns their rows. */
async function makeTagged(audit: Audit, tag: string): Promise<Row[]> {
  const { ok, root, same } = audit;
  await ok(root, "POST", "/channel/", {
    type: 1,
    name: tag,
    key: "sk-a\nsk-b\nsk-c",
    base_url: "https://one.example\nhttps://two.example",
    models: "gpt-4o,gpt-4o-mini",
    group: "default",
    tag,
    model_mapping: '{"a":"gpt-4o"}',
    model_headers: "",
    custom_parameter: "",
    priority: 2,
    weight: 3,
    proxy: "",
    test_model: "gpt-4o",
    only_chat: false,
    pre_cost: 1,
    plugin: {},
    disabled_stream: [],
  });
  const { list } = await ok(root, "GET", `/channel_tag/${tag}/list`);
  audit.rows("channels of a tag", list, channel);
  same("their names", list.map(({ name }) => String(name)).sort(), [tag, `${tag}_2`, `${tag}_3`]);
  same(
    "their addresses",
    list.map(({ base_url }) => base_url),
    ["https://one.example", "https://two.example", "https://one.example"],
  );
  return list;
}

async function rowsAndParts(audit: Audit): Promise<void> {
  const { ok, refused, root, rows, page, same } = audit;
  const tag = audit.named("tag");
  const [first] = await makeTagged(audit, tag);
  const id = first?.id;
  await ok(root, "POST", "/channel/", {
    type: 1,
    name: audit.named("bare"),
    key: "sk-q",
    models: "m",
    group: "default",
  });
  await ok(root, "POST", "/channel/", {
    type: 1,
    name: audit.named("null"),
    key: "sk-z",
    models: "m",
    group: "default",
    plugin: null,
    tag: null,
  });
  rows(
    "channels",
    page("channels", (await ok(root, "GET", "/channel/?page=1&size=100&order=-id")).data),
    channel,
  );
  for (const filter of [...filters, `name=${tag}`, `tag=${tag}`])
    page(filter, (await ok(root, "GET", `/channel/?${filter}`)).data);
  await refused(root, "GET", "/channel/?size=101");
  await refused(root, "GET", "/channel/?order=nothing");
  rows("channel", (await ok(root, "GET", `/channel/${id}`)).data, channel);
  await refused(root, "GET", "/channel/999999");

  const whole = { ...first, models: "gpt-4o,o3", group: "default,vip" };
  rows("PUT of a row", (await ok(root, "PUT", "/channel/", whole)).data, channel);
  const { row } = await ok(root, "GET", `/channel/${id}`);
  same("PUT of a row", [row["models"], row["group"]], ["gpt-4o,o3", "default,vip"]);
  for (const part of parts) {
    const answer = (await ok(root, "PUT", "/channel/", { id, ...part })).row;
    for (const [name, value] of Object.entries(part))
      if (!(value === "" && answer[name] === null)) same(`PUT ${name}`, answer[name], value);
  }
  await ok(root, "PUT", "/channel/", { id, key: "sk-new" });
  await ok(root, "PUT", "/channel/", { id, plugin: {} });
  await ok(root, "PUT", "/channel/", { id, proxy: "", base_url: first?.["base_url"] });
  const kept = (await ok(root, "GET", `/channel/${id}`)).row;
  same("fields that a PUT does not contain", [kept["models"], kept["only_chat"]], ["gpt-4o,o3", true]);
}

async function checksAndBalances(audit: Audit): Promise<void> {
  const { ok, refused, root, rows, same, site } = audit;
  const [first, second] = await makeTagged(audit, audit.named("checked"));
  const id = first?.id;
  rows("test", (await ok(root, "GET", `/channel/test/${id}?model=gpt-4o`)).json, { time: "number" });
  site.upstream.ok = false;
  const failed = await root("GET", `/channel/test/${id}`);
  same(
    "failed test",
    [failed.status, failed.json["success"], typeof failed.json["time"]],
    [200, false, "number"],
  );
  site.upstream.ok = true;
  const check = await root("POST", "/sse/channel/check", { id, models: "gpt-4o" });
  same("check of a channel", /^data: .*"type":"done"/m.test(check.text), true);
  await ok(root, "GET", "/channel/test");
  rows("balance", (await ok(root, "GET", `/channel/update_balance/${id}`)).json, { balance: "number" });
  await ok(root, "GET", "/channel/update_balance");
  // The channels below may not be deleted during a run, and the next audit starts another one.
  await expect.poll(() => site.services.db.channelRun.count({ where: { status: "running" } })).toBe(0);
  const { json } = await ok(root, "GET", "/channel/models");
  same("object of the models", json["object"], "list");
  const typed = { type: 1, key: "sk-x", base_url: "https://x.example", proxy: "", other: "" };
  same(
    "models of a provider",
    (await ok(root, "POST", "/channel/provider_models_list", typed)).list.length,
    2,
  );
  const stored = { id, type: 8, key: "", base_url: "", proxy: "", other: "" };
  same(
    "models of a channel",
    (await ok(root, "POST", "/channel/provider_models_list", stored)).list.length,
    2,
  );

  const ids = [id, second?.id];
  same(
    "azure_api",
    (await ok(root, "PUT", "/channel/batch/azure_api", { ids, value: "2024-01-01" })).data,
    2,
  );
  same("azure_api is `other`", (await ok(root, "GET", `/channel/${id}`)).row["other"], "2024-01-01");
  same(
    "del_model",
    (await ok(root, "PUT", "/channel/batch/del_model", { ids, value: "gpt-4o-mini" })).data,
    2,
  );
  same("del_model", (await ok(root, "GET", `/channel/${id}`)).row["models"], "gpt-4o");
  await refused(root, "PUT", "/channel/batch/del_model", { ids: [], value: "o3" });
  same("DELETE of a batch", (await ok(root, "DELETE", "/channel/batch", { ids: [id], value: "x" })).data, 1);
  await ok(root, "DELETE", "/channel/batch", { ids: [999_999], value: "" });
  await ok(root, "PUT", "/channel/", { id: second?.id, status: 2 });
  rows("DELETE of disabled ones", await ok(root, "DELETE", "/channel/disabled"), { data: "int" });
  await refused(root, "GET", `/channel/${second?.id}`);
  await ok(root, "DELETE", "/channel/999999");
}

async function tags(audit: Audit): Promise<void> {
  const { ok, refused, root, rows, same } = audit;
  const [tag, renamed] = [audit.named("pattern"), audit.named("renamed")];
  const channels = await makeTagged(audit, tag);
  rows("tags", (await ok(root, "GET", "/channel_tag/_all")).data, { id: "int", tag: "text" });
  const pattern = (await ok(root, "GET", `/channel_tag/${tag}`)).row;
  rows("tag", pattern, { ...channel, KeyMap: "object" });
  same("the oldest channel of a tag", pattern.id, Math.min(...channels.map(({ id }) => id)));
  await ok(root, "PUT", `/channel_tag/${tag}/priority`, { type: "priority", value: 7 });
  await refused(root, "PUT", `/channel_tag/${tag}/priority`, { type: "name", value: 7 });
  for (const [word, status] of [
    ["disable", 2],
    ["enable", 1],
  ] as const) {
    await ok(root, "PUT", `/channel_tag/${tag}/status/${word}`);
    const { list } = await ok(root, "GET", `/channel_tag/${tag}/list`);
    same(
      word,
      list.map((row) => [row["status"], row["priority"]]),
      channels.map(() => [status, 7]),
    );
  }
  await refused(root, "PUT", `/channel_tag/${tag}/status/other`);
  await ok(root, "PUT", `/channel_tag/${tag}`, { ...pattern, models: "o1" });
  const synchronised = { ...pattern, key: "sk-b\nsk-d\nsk-e", models: "o1,o3", tag: renamed };
  await ok(root, "PUT", `/channel_tag/${tag}`, synchronised);
  const { list } = await ok(root, "GET", `/channel_tag/${renamed}/list`);
  same("keys of a tag", list.length, 3);
  same("models of a tag", new Set(list.map(({ models }) => models)).has("o1,o3"), true);
  same("list of an unknown tag", (await ok(root, "GET", "/channel_tag/no-such/list")).data, []);
  await refused(root, "GET", "/channel_tag/no-such");
  const [first] = list;
  await ok(root, "DELETE", `/channel/${first?.id}/tag`);
  same("channel without its tag", (await ok(root, "GET", `/channel/${first?.id}`)).row["tag"], "");
  await ok(root, "DELETE", `/channel/${first?.id}`);
  await ok(root, "PUT", "/channel/", { id: list[1]?.id, status: 2 });
  await ok(root, "DELETE", `/channel_tag/${renamed}/disabled`);
  same("enabled ones of a tag", (await ok(root, "GET", `/channel_tag/${renamed}/list`)).list.length, 1);
  await ok(root, "DELETE", `/channel_tag/${renamed}`);
  same("deleted tag", (await ok(root, "GET", `/channel_tag/${renamed}/list`)).data, []);
  await ok(root, "DELETE", "/channel_tag/no-such");
}

export const channelChecks = {
  "channels: rows, filters, and every part of a row": rowsAndParts,
  "channels: tests, balances, models, batches": checksAndBalances,
  "tags of channels": tags,
};
