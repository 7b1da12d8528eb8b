import type { ChannelKeyRow, ChannelRow } from "@gateway/shared/channels/channel";
import type {
  ChannelEditAnswer,
  ChannelExport,
  ChannelImportAnswer,
} from "@gateway/shared/channels/channel-batch";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Script, scriptOf } from "#console/compat/script.fixture.ts";
import { createCandidates } from "#domain/channels/selection/candidates.ts";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

const reference = "env:CHANNEL_KEY_OPENAI";
const value = "sk-value-in-the-environment";
const input = {
  type: 8,
  name: "Referenced",
  key: reference,
  base_url: "https://api.example.com/v1",
  other: "",
  proxy: "",
  model_headers: { "anthropic-version": "2023-06-01" },
  models: ["gpt-4o"],
  groups: ["default"],
  tag: "",
};

let site: TestConsole;
let admin: Browser;
let root: Browser;
let script: Script;

beforeAll(async () => {
  site = await buildConsole({
    environment: { CHANNEL_KEY_OPENAI: value, DATABASE_URL: "postgres://secret" },
  });
});
beforeEach(async () => {
  await site.services.db.channel.deleteMany();
  const user = await site.makeUser({ role: 10 });
  admin = await site.as(user);
  script = await scriptOf(site, user);
  root = await site.as(await site.makeUser({ role: 100 }));
});
afterAll(() => site.close());

async function create(values: object = {}): Promise<ChannelRow> {
  const answer = await root.send<ChannelRow>("POST", "/api/channel", { ...input, ...values });
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
}

const active = async (id: number) => (await createCandidates(site.services)).byId(id);
const keysStored = () => site.services.db.channelKey.count({ where: { reference: { not: null } } });
const rootOnly = "Only the root account can enter a reference to a key.";

describe("a reference entered by an administrator who is not root", () => {
  const literal = "sk-a-key-that-is-stored";

  it.each([
    "env:DATABASE_URL",
    "file:openai.key",
    "vault:secret/data/x#key",
    "aws-sm:eu-west-1/x",
    "aws:eu-west-1",
    "google:",
    "azure:",
  ])("is refused in every form: %s", async (key) => {
    const { status, body } = await admin.send("POST", "/api/channel", { ...input, key });
    expect({ status, key: body.fields?.["key"] }).toEqual({ status: 400, key: rootOnly });
    expect(await keysStored()).toBe(0);
  });

  it.each([reference, `sk-one\n  ${reference}  `])(
    "is refused wherever a key can be entered: %s",
    async (key) => {
      const row = await create({ key: literal, tag: "team" });
      const before = await keysStored();
      const tries = [
        await admin.send("POST", "/api/channel", { ...input, key }),
        await admin.send("PUT", `/api/channel/${row.id}`, { key }),
        await admin.send("PUT", "/api/channel", { id: row.id, key }),
        await admin.send("PUT", `/api/channel/${row.id}`, { key, key_mode: "append" }),
        await admin.send("POST", "/api/channel/test", { ...input, key }),
        await admin.send("POST", "/api/channel/test", { ...input, id: row.id, key }),
        await admin.send("POST", "/api/channel/models", { type: 8, base_url: input.base_url, key }),
        await admin.send("POST", "/api/channel/models", { id: row.id, type: 8, key }),
      ];
      for (const { status, body } of tries)
        expect({ status, key: body.fields?.["key"] }).toEqual({ status: 400, key: rootOnly });

      const tagged = await admin.send<ChannelEditAnswer>("PUT", "/api/channel_tag/team", { edit: {}, key });
      expect(JSON.stringify(tagged.body.data.failed)).toContain(rootOnly);

      const channels = [{ ...input, key }];
      const imported = await admin.send<ChannelImportAnswer>("POST", "/api/channel/import", { channels });
      // Import is open to root only, or reports each channel that it refuses.
      if (imported.status === 200)
        expect(imported.body.data).toMatchObject({
          created: [],
          failed: [{ message: expect.stringContaining(rootOnly) }],
        });
      else expect(imported.status).toBe(403);

      const older = {
        type: 8,
        name: "Older",
        key,
        models: "gpt-4o",
        group: "default",
        base_url: input.base_url,
      };
      expect(await script.send("POST", "/channel/", older)).toMatchObject({ success: false });
      expect(await script.send("PUT", "/channel/", { id: row.id, key })).toMatchObject({ success: false });
      expect(await keysStored()).toBe(before);
      expect((await active(row.id))?.keys.map((each) => each.key)).not.toContain(key);
    },
  );

  it("cannot be copied to another channel", async () => {
    const row = await create();
    const copied = await admin.send("POST", `/api/channel/${row.id}/copy`);
    expect(copied.body).toMatchObject({ success: false, fields: { key: rootOnly } });
    expect((await root.send("POST", `/api/channel/${row.id}/copy`)).body).toMatchObject({ success: true });
  });
});

describe("where a referenced key is sent", () => {
  const elsewhere: [string, object][] = [
    ["another provider", { type: 1 }],
    ["another host", { base_url: "https://evil.example.net/v1" }],
    ["a proxy", { proxy: "http://evil.example.net:3128" }],
    ["another region or version", { other: "evil" }],
    ["any other header", { model_headers: { "X-Anything": "evil" } }],
    ["a path of the provider", { plugin: { customize: { "1": "/other" } } }],
    ["a mapping", { model_mapping: { "gpt-4o": "../../evil" } }],
  ];

  it.each(elsewhere)("is changed by root only: %s", async (_name, values) => {
    const row = await create({ tag: "bound" });
    const calls = site.upstream.calls.length;
    const [field = ""] = Object.keys(values);
    const message =
      "The key of this channel is a reference. Only the root account can change where it is sent.";
    const body = { ...input, key: "", ...values };
    for (const { status, body: answer } of [
      await admin.send("PUT", `/api/channel/${row.id}`, values),
      await admin.send("PUT", "/api/channel", { id: row.id, ...values }),
      await admin.send("PUT", `/api/channel/${row.id}`, { ...values, key: "sk-x", key_mode: "append" }),
      await admin.send("POST", "/api/channel/test", { ...body, id: row.id }),
    ])
      expect({ status, field: answer.fields?.[field] }).toEqual({ status: 400, field: message });
    for (const [path, edit] of [
      ["/api/channel/batch", { ids: [row.id], edit: values }],
      ["/api/channel_tag/bound", { edit: values }],
    ] as const) {
      const answer = await admin.send<ChannelEditAnswer>("PUT", path, edit);
      expect(answer.status === 200 ? answer.body.data.changed : []).toEqual([]);
    }
    await script.send("PUT", "/channel/", { id: row.id, ...values });
    expect(site.upstream.calls).toHaveLength(calls);
    expect(await active(row.id)).toMatchObject({ baseUrl: input.base_url, proxy: "", other: "" });
    const allowed = await root.send("PUT", `/api/channel/${row.id}`, values);
    expect(allowed.body).toMatchObject({ success: true });
  });

  it("stays when an administrator changes anything else, or replaces the reference by a key", async () => {
    const row = await create();
    const renamed = await admin.send("PUT", `/api/channel/${row.id}`, {
      ...input,
      key: "",
      name: "Renamed",
      priority: 3,
      models: ["gpt-4o", "o3"],
      model_mapping: { "gpt-4o": "gpt-4.1" },
    });
    expect(renamed.body).toMatchObject({ success: true });
    const own = { base_url: "https://own.example.com", key: "sk-own" };
    const replaced = await admin.send<ChannelRow>("PUT", `/api/channel/${row.id}`, own);
    expect(replaced.body).toMatchObject({ success: true, data: { key_hints: ["sk…"] } });
    const back = await admin.send("PUT", `/api/channel/${row.id}`, { key: reference });
    expect(back.body.fields).toEqual({ key: rootOnly });
    expect((await active(row.id))?.keys).toMatchObject([{ key: "sk-own" }]);
  });
});

describe("a reference entered by root", () => {
  it("is stored and shown, and its value never is", async () => {
    const row = await create();
    expect(row.key_hints).toEqual([reference]);
    expect(await (await active(row.id))?.keys[0]?.referenced?.read()).toBe(value);
    const keys = await admin.get<ChannelKeyRow[]>(`/api/channel/${row.id}/keys`);
    expect(keys.body.data).toMatchObject([{ hint: reference, is_reference: true, fault: "" }]);
    const file = await root.send<ChannelExport>("POST", "/api/channel/export/keys", { ids: [row.id] });
    expect(file.body.data.channels).toMatchObject([{ key: reference }]);
    const { db } = site.services;
    const stored = {
      channels: await db.channel.findMany({ include: { keys: true, events: true } }),
      audit: await db.auditEntry.findMany(),
      list: (await admin.get("/api/channel?size=100")).body,
      events: (await admin.get(`/api/channel/${row.id}/events`)).body,
    };
    const text = JSON.stringify(stored, (_name, part: unknown) =>
      typeof part === "bigint" ? String(part) : part,
    );
    expect(text).not.toContain(value);
  });

  it("is used by a test before it is saved, and after", async () => {
    const row = await create();
    await root.send("POST", "/api/channel/test", input);
    await admin.send("POST", `/api/channel/${row.id}/test`);
    for (const { channel } of site.upstream.calls.slice(-2)) {
      expect(channel.key).toBe(reference);
      expect(await channel.referenced?.read()).toBe(value);
    }
  });

  it.each([
    ["env:DATABASE_URL", "This reference is not valid. Its form is env:CHANNEL_KEY_NAME."],
    ["env:SECRET_KEY", "This reference is not valid. Its form is env:CHANNEL_KEY_NAME."],
    ["file:../../etc/passwd", "This reference is not valid. Its form is file:folder/name."],
    [
      "vault:https://evil.example/x#key",
      "This reference is not valid. Its form is vault:mount/data/path#field.",
    ],
    ["aws:us-east-1", 'OpenAI-compatible does not accept the sign-in "aws:".'],
  ])("is checked: %s", async (key, message) => {
    const answer = await root.send("POST", "/api/channel", { ...input, key });
    expect(answer.body).toMatchObject({ success: false, fields: { key: message } });
  });

  it("is not kept by a channel of a provider that cannot use it", async () => {
    const row = await create({ type: 32, base_url: "", key: "aws:us-east-1" });
    const answer = await root.send("PUT", `/api/channel/${row.id}`, { type: 8, base_url: input.base_url });
    expect(answer.body.fields?.["key"]).toContain('does not accept the sign-in "aws:"');
  });
});
