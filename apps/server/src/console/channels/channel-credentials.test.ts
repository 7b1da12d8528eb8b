import type { ChannelRow } from "@gateway/shared/channels/channel";
import type {
  ChannelEditAnswer,
  ChannelExport,
  ChannelImportAnswer,
} from "@gateway/shared/channels/channel-batch";
import { sendableHeaders } from "@gateway/shared/channels/channel-headers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sealStoredSecrets } from "#domain/channels/seal-stored.ts";
import { createCandidates } from "#domain/channels/selection/candidates.ts";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

const key = "sk-stored-key-of-the-channel";
const input = {
  type: 8,
  name: "Bound",
  key,
  base_url: "https://api.example.com/v1",
  proxy: "http://proxy-user:proxy-password-1@proxy.example.com:3128",
  model_headers: { "X-Account": "header-value-1", "anthropic-version": "2023-06-01" },
  custom_parameter: { temperature: 0.5, extra: { api_key: "parameter-value-1" }, user: "plain" },
  models: ["gpt-4o"],
  groups: ["default"],
};
const evil = "http://evil.example.net";
const mask = "********";

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

async function create(values: object = {}): Promise<ChannelRow> {
  const answer = await admin.send<ChannelRow>("POST", "/api/channel", { ...input, ...values });
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
}

async function inMemory(id: number) {
  return (await createCandidates(site.services)).byId(id);
}

/** Returns every destination that a credential of the channel was sent to or stored for. */
async function sentTo(id: number, calls: number): Promise<string[]> {
  const requested = site.upstream.calls
    .slice(calls)
    .filter(({ channel }) => JSON.stringify(channel).includes("stored-key"));
  const channel = await inMemory(id);
  return [
    ...requested.map(({ channel: { base_url, proxy } }) => `${base_url} ${proxy}`),
    `${channel?.baseUrl} ${channel?.proxy}`,
  ];
}

/** Returns the channel as the console sends it back, with one field changed. */
function changed(row: ChannelRow, values: object) {
  const { type, name, base_url, other, models, groups, proxy, model_headers, custom_parameter, plugin } = row;
  const sent = {
    type,
    name,
    base_url,
    other,
    models,
    groups,
    proxy,
    model_headers,
    custom_parameter,
    plugin,
  };
  return { ...sent, key: "", ...values };
}

const elsewhere: [string, object][] = [
  ["another host", { base_url: `${evil}/v1` }],
  ["another scheme", { base_url: "http://api.example.com/v1" }],
  ["another port", { base_url: "https://api.example.com:8443/v1" }],
  ["another path of the host", { base_url: "https://api.example.com/evil" }],
  ["another proxy", { proxy: "http://evil.example.net:3128" }],
  ["no proxy", { proxy: "" }],
  ["another provider", { type: 1 }],
  ["another provider's address", { type: 1, base_url: "" }],
  ["a path that leaves the address", { plugin: { customize: { "1": "/../../evil" } } }],
  [
    "another host by a header",
    { model_headers: { "X-Account": mask, "X-Forwarded-Host": "evil.example.net" } },
  ],
  ["a gateway's target by a header", { model_headers: { "Helicone-Target-Url": evil } }],
];

describe("channel credentials: changing their destination", () => {
  it.each(elsewhere)("requires the key again for %s", async (_name, values) => {
    const row = await create();
    const calls = site.upstream.calls.length;
    const body = changed(row, values);
    const tries = [
      await admin.send("PUT", `/api/channel/${row.id}`, body),
      await admin.send("PUT", "/api/channel", { ...body, id: row.id }),
      await admin.send("PUT", `/api/channel/${row.id}`, { ...body, key: "sk-other", key_mode: "append" }),
      await admin.send("POST", "/api/channel/test", { ...body, id: row.id }),
    ];
    for (const answer of tries) {
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        code: "invalid_request",
        fields: { key: expect.stringContaining("again") },
      });
    }
    expect(await sentTo(row.id, calls)).toEqual([`${input.base_url} ${input.proxy}`]);
    // With key and secrets entered again, the change is accepted.
    const full = { ...body, key: "sk-new", model_headers: {}, custom_parameter: {}, ...values };
    const { "X-Account": _gone, ...headers } = full.model_headers as Record<string, string>;
    const again = await admin.send("PUT", `/api/channel/${row.id}`, { ...full, model_headers: headers });
    expect(again.body).toMatchObject({ success: true });
    expect((await inMemory(row.id))?.keys.map((each) => each.key)).toEqual(["sk-new"]);
  });

  it("requires it for a list of models too, whatever the request leaves out", async () => {
    const row = await create();
    const calls = site.upstream.calls.length;
    for (const path of ["/api/channel/models", "/api/channel/provider_models_list"])
      for (const values of [
        { base_url: evil },
        { proxy: evil },
        { proxy: "" },
        { base_url: "", type: 1 },
        { type: 1 },
      ]) {
        const answer = await admin.send("POST", path, { id: row.id, type: 8, key: "", ...values });
        expect(answer.body, JSON.stringify(values)).toMatchObject({ fields: { key: expect.any(String) } });
      }
    expect(site.upstream.calls).toHaveLength(calls);
    const same = await admin.send("POST", "/api/channel/models", { id: row.id, type: 8 });
    expect(same.status).toBe(200);
    expect(site.upstream.calls.at(-1)?.channel).toMatchObject({
      base_url: input.base_url,
      proxy: input.proxy,
      key,
    });
  });

  it("requires it in edits of many, of a tag, and in previews", async () => {
    const tag = `tag-${Date.now()}`;
    const row = await create({ tag });
    const calls = site.upstream.calls.length;
    for (const edit of [
      { base_url: evil },
      { proxy: evil },
      { model_headers: { "X-Forwarded-Host": "evil.example.net" } },
      { plugin: { customize: { "1": "/../evil" } } },
    ])
      for (const preview of [true, false]) {
        const many = await admin.send<ChannelEditAnswer>("PUT", "/api/channel/batch", {
          ids: [row.id],
          edit,
          preview,
        });
        const tagged = await admin.send<ChannelEditAnswer>("PUT", `/api/channel_tag/${tag}`, {
          edit,
          preview,
        });
        for (const { body } of [many, tagged]) {
          expect(body.data.changed).toEqual([]);
          expect(body.data.failed).toMatchObject([{ id: row.id, message: expect.stringContaining("again") }]);
        }
      }
    // A new channel of the tag has its own key, but none of the tag's secrets go elsewhere with it.
    const added = await admin.send<ChannelEditAnswer>("PUT", `/api/channel_tag/${tag}`, {
      edit: { base_url: evil },
      key: "sk-fresh",
    });
    expect(added.body.data).toMatchObject({ added: [], failed: [{ id: row.id }, { id: 0 }] });
    expect(await sentTo(row.id, calls)).toEqual([`${input.base_url} ${input.proxy}`]);
  });

  it("copies the key with its address only", async () => {
    const row = await create();
    const copy = (await admin.send<ChannelRow>("POST", `/api/channel/${row.id}/copy`)).body.data;
    expect(copy).toMatchObject({ base_url: input.base_url, model_headers: { "X-Account": mask } });
    const moved = await admin.send("PUT", `/api/channel/${copy.id}`, changed(copy, { base_url: evil }));
    expect(moved.body.fields).toHaveProperty("key");
    await admin.send("PATCH", `/api/channel/${copy.id}`, { status: 1 });
    expect(await inMemory(copy.id)).toMatchObject({
      headers: sendableHeaders(input.model_headers),
      parameters: input.custom_parameter,
      proxy: input.proxy,
      keys: [{ key }],
    });
  });

  it("binds header values and parameters of a channel without keys, too", async () => {
    const row = await create({ key: "" });
    const answer = await admin.send("PUT", `/api/channel/${row.id}`, changed(row, { base_url: evil }));
    expect(Object.keys(answer.body.fields ?? {})).toEqual([
      "model_headers.X-Account",
      "custom_parameter.extra.api_key",
    ]);
    expect((await inMemory(row.id))?.baseUrl).toBe(input.base_url);
  });

  it("accepts another spelling of the same address, and everything that keeps the destination", async () => {
    const row = await create();
    for (const values of [
      { base_url: "https://API.example.com:443/v1/" },
      { name: "Renamed", models: ["gpt-4o", "o3"], disabled_stream: ["o3"], priority: 3 },
      { model_headers: { "X-Account": mask, "X-Title": "Mine" } },
    ]) {
      const answer = await admin.send("PUT", `/api/channel/${row.id}`, changed(row, values));
      expect(answer.body, JSON.stringify(values)).toMatchObject({ success: true });
    }
  });

  it("is allowed to root, who can export every key anyway", async () => {
    const row = await create();
    const answer = await root.send("PUT", `/api/channel/${row.id}`, changed(row, { base_url: evil }));
    expect(answer.body).toMatchObject({ success: true, data: { base_url: evil } });
    const proxied = changed(row, { proxy: "http://proxy-user:********@evil.example.net:3128" });
    const refused = await root.send("PUT", `/api/channel/${row.id}`, proxied);
    expect(refused.body.fields).toHaveProperty("proxy");
  });
});

describe("channel secrets besides keys", () => {
  it("are encrypted at rest, hidden from readers, and used in calls", async () => {
    const { db } = site.services;
    const row = await create();
    expect(row).toMatchObject({
      proxy: `http://proxy-user:${mask}@proxy.example.com:3128`,
      model_headers: { "X-Account": mask, "anthropic-version": "2023-06-01" },
      custom_parameter: { temperature: 0.5, extra: { api_key: mask }, user: "plain" },
    });
    const list = await admin.get("/api/channel?size=100");
    const file = await admin.send<ChannelExport>("POST", "/api/channel/export", { ids: [row.id] });
    const stored = await db.$queryRaw<{ all: string }[]>`
      SELECT c::text || coalesce((SELECT string_agg(a::text, '') FROM audit_entries a), '')
        || coalesce((SELECT string_agg(e::text, '') FROM channel_events e), '') AS all FROM channels c`;
    const seen = JSON.stringify([row, list.body, file.body, stored]);
    for (const secret of ["proxy-password-1", "header-value-1", "parameter-value-1", key])
      expect(seen).not.toContain(secret);
    expect(await inMemory(row.id)).toMatchObject({
      proxy: input.proxy,
      headers: sendableHeaders(input.model_headers),
      parameters: input.custom_parameter,
    });
    const withKeys = await root.send<ChannelExport>("POST", "/api/channel/export/keys", { ids: [row.id] });
    expect(withKeys.body.data.channels[0]).toMatchObject({
      proxy: input.proxy,
      model_headers: input.model_headers,
      key,
    });
  });

  it("stay when their mask is sent back, change when another value is, and are deleted when they are left out", async () => {
    const row = await create();
    const path = `/api/channel/${row.id}`;
    await admin.send("PUT", path, changed(row, { name: "Same" }));
    expect(await inMemory(row.id)).toMatchObject({
      proxy: input.proxy,
      headers: sendableHeaders(input.model_headers),
    });
    const other = { "X-Account": "header-value-2" };
    await admin.send(
      "PUT",
      path,
      changed(row, { model_headers: sendableHeaders(other), custom_parameter: {} }),
    );
    expect(await inMemory(row.id)).toMatchObject({
      headers: sendableHeaders(other),
      parameters: {},
      proxy: input.proxy,
    });
    const wrong = await admin.send("PUT", path, changed(row, { model_headers: { "X-New": mask } }));
    expect(wrong.body.fields).toHaveProperty(["model_headers.X-New"]);
    const event = await site.services.db.channelEvent.findFirstOrThrow({
      where: { channel_id: row.id },
      orderBy: { id: "desc" },
    });
    expect(event.detail).toMatchObject({
      fields: expect.arrayContaining(["model_headers", "custom_parameter"]),
    });
  });

  it("must be entered when a file without keys is imported", async () => {
    const row = await create({ key: "" });
    const file = await admin.send<ChannelExport>("POST", "/api/channel/export", { ids: [row.id] });
    const made = await admin.send<ChannelImportAnswer>("POST", "/api/channel/import", {
      channels: file.body.data.channels,
    });
    const [created] = made.body.data.created;
    expect(created).toMatchObject({ needs_key: true });
    const { data } = (await admin.get<ChannelRow>(`/api/channel/${created?.id}`)).body;
    expect(data).toMatchObject({
      status: 2,
      proxy: "",
      model_headers: { "anthropic-version": "2023-06-01" },
    });
  });

  it("of rows from an earlier version are encrypted at the next start", async () => {
    const { db, secrets } = site.services;
    const row = await create({ proxy: "", model_headers: {}, custom_parameter: {} });
    await db.channel.update({
      where: { id: row.id },
      data: {
        proxy: input.proxy,
        model_headers: input.model_headers,
        custom_parameter: input.custom_parameter,
      },
    });
    await sealStoredSecrets(db, secrets);
    const stored = await db.channel.findUniqueOrThrow({ where: { id: row.id } });
    expect(JSON.stringify({ ...stored, used_quota: 0 })).not.toMatch(
      /proxy-password-1|header-value-1|parameter-value-1/,
    );
    expect(await inMemory(row.id)).toMatchObject({
      proxy: input.proxy,
      headers: sendableHeaders(input.model_headers),
    });
  });

  it("of a plugin are hidden as well", async () => {
    const plugin = {
      headers: { "CF-Access-Client-Id": "id-1", "CF-Access-Client-Secret": "plugin-value-1" },
    };
    const row = await create({ type: 39, plugin });
    expect(JSON.stringify(row)).not.toContain("plugin-value-1");
    await admin.send("PUT", `/api/channel/${row.id}`, changed(row, { name: "Same" }));
    expect((await inMemory(row.id))?.plugin).toEqual(plugin);
  });
});
