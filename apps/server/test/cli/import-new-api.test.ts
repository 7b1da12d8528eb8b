import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newApiColumns } from "#migration/products/new-api/columns.ts";
import { oneApiColumns } from "#migration/products/one-api/columns.ts";
import type { ImportReport } from "#migration/report.ts";
import { connect } from "#platform/database/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { installedDatabase } from "#test/database.ts";
import { testSecretKey } from "#test/gateway.ts";
import { cli } from "./cli.ts";
import { foreignDatabase, type Rows } from "./foreign-database.ts";

const cases: (() => Promise<unknown>)[] = [];
const now = Math.floor(Date.now() / 1_000);

afterEach(async () => {
  for (const remove of cases.splice(0)) await remove();
});

const user = (id: number, fields: object = {}) => ({
  id,
  username: `user-${id}`,
  password: "",
  role: id === 1 ? 100 : 1,
  status: 1,
  group: "default",
  quota: 1_000_000,
  used_quota: 0,
  ...fields,
});
const token = (id: number, key: string, fields: object = {}) => ({
  id,
  user_id: 2,
  key,
  name: `key ${id}`,
  status: 1,
  expired_time: -1,
  remain_quota: -500,
  unlimited_quota: true,
  used_quota: 0,
  ...fields,
});

const log = (id: number, fields: object) => ({
  id,
  user_id: 2,
  created_at: now - id,
  type: 2,
  prompt_tokens: 1_000,
  completion_tokens: 200,
  ...fields,
});

async function imported(
  product: "new-api" | "one-api",
  kind: "sqlite" | "postgres",
  rows: Rows,
  ...more: string[]
) {
  const { auth_flows: _flows, ...columns } = {
    auth_flows: "",
    ...(product === "new-api" ? newApiColumns : oneApiColumns),
  };
  const from = await foreignDatabase(kind, columns, rows);
  const target = await installedDatabase();
  cases.push(from.remove, target.drop);
  const run = await cli(target.url, "import", product, "--from", from.from, "--yes", "--json", ...more);
  expect(run.exitCode, run.err + run.out).toBe(0);
  const database = connect(target.url, { max: 2 });
  cases.unshift(() => database.close());
  const report = run.json() as ImportReport;
  const note = (code: string) => report.notes.find((each) => each.code === code);
  return { report, note, db: database.db };
}

const open = openSecrets(testSecretKey);

describe("gateway import new-api", () => {
  const rows: Rows = {
    users: [
      user(1),
      user(2, {
        used_quota: 19_200,
        group: "VIP客户",
        discord_id: "d2",
        github_id: "42",
        aff_quota: 700,
        setting: '{"language":"en"}',
      }),
      user(3, { github_id: "somebody", quota: -5, used_quota: 2_147_483_647 }),
    ],
    two_fas: [{ id: 1, user_id: 2, secret: "JBSWY3DPEHPK3PXP", is_enabled: true }],
    tokens: [
      token(1, "a".repeat(48), {
        used_quota: 30_000,
        group: "auto",
        model_limits_enabled: true,
        model_limits: "gpt-x,b",
      }),
      token(2, `dead-${"b".repeat(40)}`),
      token(3, "c".repeat(48), { expired_time: 0 }),
      token(4, "d".repeat(48), { allow_ips: "10.0.0.0/8\n192.168.1.1" }),
      // No call with these succeeded there.
      token(5, "e".repeat(48), { model_limits_enabled: true, model_limits: "" }),
      token(6, "f".repeat(48), { group: "vip" }),
      token(7, "g".repeat(48), { group: "gone", user_id: 3 }),
      token(8, "h".repeat(48), { group: "vip", user_id: 3 }),
      token(9, "i".repeat(48), { model_limits_enabled: true, model_limits: "gpt-x,gpt-*" }),
    ],
    channels: [
      {
        id: 1,
        type: 1,
        key: "k-one\nk-two\nk-three",
        status: 1,
        name: "many",
        models: "gpt-x,alias",
        group: "default,VIP客户",
        weight: 0,
        priority: -3,
        model_mapping: '{"alias":"middle","middle":"gpt-y"}',
        channel_info:
          '{"is_multi_key":true,"multi_key_mode":"polling","multi_key_status_list":{"1":3},"multi_key_disabled_reason":{"1":"401"}}',
        header_override: '{"X-Team":"blue","X-Key":"{api_key}"}',
        open_ai_organization: "org-1",
      },
      {
        id: 2,
        type: 43,
        key: "k",
        status: 3,
        name: "deep",
        models: "ds",
        group: "default",
        weight: 7,
        priority: 0,
      },
      {
        id: 3,
        type: 33,
        key: "ak|sk|us-east-1",
        status: 1,
        name: "aws",
        models: "claude",
        group: "default",
        weight: 1,
        priority: 0,
      },
      {
        id: 4,
        type: 8,
        key: "k",
        status: 1,
        name: "own",
        models: "own",
        group: "default",
        base_url: "https://x.test/v1/chat/completions",
        weight: 1,
        priority: 0,
      },
      {
        id: 5,
        type: 52,
        key: "k",
        status: 1,
        name: "vidu",
        models: "v",
        group: "default",
        weight: 0,
        priority: 0,
      },
      {
        id: 6,
        type: 8,
        key: "k",
        status: 1,
        name: "whole address",
        models: "own",
        group: "default",
        base_url: "https://y.test/api/chat",
        weight: 1,
        priority: 0,
      },
      {
        id: 7,
        type: 33,
        key: "ak|sk|eu-west-1",
        status: 1,
        name: "aws again",
        models: "claude-3-5-sonnet-20241022,claude-sonnet-4-20250514",
        group: "default",
        weight: 1,
        priority: 0,
      },
      {
        id: 8,
        type: 9,
        key: "k",
        status: 1,
        name: "reseller",
        models: "own",
        group: "default",
        weight: 1,
        priority: 0,
      },
    ],
    abilities: [{ group: "default", model: "own", channel_id: 4, enabled: false }],
    options: [
      { key: "QuotaPerUnit", value: "1000000" },
      { key: "GroupRatio", value: '{"default":1,"vip":0.8}' },
      { key: "UserUsableGroups", value: '{"default":"Standard","gone":"Gone"}' },
      { key: "group_ratio_setting.group_special_usable_group", value: '{"default":{"+:vip":""}}' },
      { key: "AutoGroups", value: '["vip","default","VIP客户","more"]' },
      { key: "ModelRatio", value: '{"gpt-x":2.5,"half":0.5,"minus":-1,"gpt-x-openai-compact":9}' },
      { key: "CompletionRatio", value: '{"gpt-x":4}' },
      { key: "CreateCacheRatio", value: '{"gpt-x":1.25}' },
      { key: "ModelPrice", value: '{"own":0.024}' },
      { key: "tool_price_setting.prices", value: '{"web_search":12}' },
      { key: "SensitiveWords", value: "badword" },
    ],
    user_subscriptions: [
      { id: 1, user_id: 2, amount_total: 900, amount_used: 100, end_time: now + 9_000, status: "active" },
      { id: 2, user_id: 2, amount_total: 900, amount_used: 100, end_time: now - 9_000, status: "active" },
    ],
    checkins: [{ id: 1, user_id: 2, checkin_date: "2026-11-01", quota_awarded: 5 }],
    logs: [
      {
        id: 1,
        user_id: 2,
        created_at: now - 100,
        type: 2,
        model_name: "own",
        quota: 19_200,
        other: '{"group_ratio":0.8,"model_price":0.024,"model_ratio":0,"completion_ratio":0}',
      },
    ],
    top_ups: [
      {
        id: 5,
        user_id: 2,
        amount: 3,
        money: 21.9,
        trade_no: "N".repeat(80),
        status: "success",
        create_time: now,
      },
    ],
  };

  it.each(["sqlite", "postgres"] as const)("bills and limits as before, from %s", async (kind) => {
    const { report, note, db } = await imported("new-api", kind, rows);
    expect(report).toMatchObject({
      ok: true,
      totals: { users_quota: { source: "1999995", here: "1999995" } },
      proof: { audit_drift: "0", keys_tried: 9, keys_failed: [], charges_compared: 1, charges_different: [] },
    });
    for (const code of [
      "sign_in_lost",
      "github_login_only",
      "token_dead",
      "group_made",
      "group_symbol",
      "quota_per_unit",
      "header_placeholder",
      "price_incomplete",
      "price_unusable",
      "recovery_codes",
      "token_auto_group",
      "checkins_lost",
      "invitation_points",
      "keys_in_turn",
      "weight_zero",
      "channel_abilities",
      "number_clamped",
      "price_compact",
    ])
      expect(note(code), code).toBeDefined();

    expect(note("subscriptions_lost")).toMatchObject({ count: 1, examples: ["user 2: 800"] });
    const channel = await db.channel.findUniqueOrThrow({
      where: { id: 1 },
      include: { keys: { orderBy: { position: "asc" } }, groups: true },
    });
    // The requested name is billed, as in New API.
    expect(channel.model_mapping).toEqual({ alias: "+gpt-y", middle: "+gpt-y" });
    expect(channel.keys.map((key) => [open.decrypt(key.key_encrypted, "channel:1"), key.status])).toEqual([
      ["k-one", 1],
      ["k-two", 3],
      ["k-three", 1],
    ]);
    expect(channel).toMatchObject({ priority: 0, weight: 1, status: 1 });
    expect(await db.channel.findUnique({ where: { id: 2 } })).toMatchObject({
      type: 28,
      status: 3,
      weight: 700,
      priority: 3,
    });
    expect(await db.channel.findUnique({ where: { id: 3 } })).toMatchObject({ type: 32, status: 2 });
    expect(await db.channel.findUnique({ where: { id: 4 } })).toMatchObject({
      base_url: "https://x.test",
      status: 1,
    });
    expect(await db.channel.findUnique({ where: { id: 5 } })).toMatchObject({ type: 8, status: 2 });
    expect(await db.channel.findUnique({ where: { id: 6 } })).toMatchObject({ type: 8, status: 2 });
    expect(await db.channel.findUnique({ where: { id: 7 } })).toMatchObject({
      status: 1,
      model_mapping: {
        "claude-3-5-sonnet-20241022": "+anthropic.claude-3-5-sonnet-20241022-v2:0",
        "claude-sonnet-4-20250514": "+eu.anthropic.claude-sonnet-4-20250514-v1:0",
      },
    });
    expect(await db.channel.findUnique({ where: { id: 8 } })).toMatchObject({
      type: 8,
      status: 1,
      base_url: "https://api.caipacity.com",
    });

    const price = await db.price.findUniqueOrThrow({ where: { model: "gpt-x" }, include: { extras: true } });
    expect([Number(price.input), Number(price.output)]).toEqual([2.5, 10]);
    expect(Object.fromEntries(price.extras.map((extra) => [extra.kind, Number(extra.value)]))).toMatchObject({
      cached_tokens: 1,
      cached_write_1h_tokens: 2,
      "tool:web-search": 0.012,
    });
    expect(await db.price.findUnique({ where: { model: "own" } })).toMatchObject({ type: "times" });
    expect(await db.price.count()).toBe(2);

    expect(await db.token.findUnique({ where: { id: 1 } })).toMatchObject({
      group: "default",
      // Of "auto", the groups that the owner may use.
      backup_group: "g-3",
      used_quota: 30_000n,
    });
    const dead = await db.token.findMany({
      where: { status: 2 },
      select: { id: true },
      orderBy: { id: "asc" },
    });
    expect(dead.map(({ id }) => id)).toEqual([2, 5, 6, 7]);
    expect(note("token_group_refused")?.examples).toEqual(["token 6", "token 7"]);
    expect((await db.token.findUniqueOrThrow({ where: { id: 9 } })).setting).toMatchObject({
      limits: { limit_model_setting: { enabled: true, models: ["gpt-x"] } },
    });
    expect((await db.token.findUniqueOrThrow({ where: { id: 3 } })).expired_time).toEqual(new Date(0));
    expect(await db.user.findUnique({ where: { id: 2 } })).toMatchObject({
      totp_enabled: true,
      language: "en_US",
    });
    expect(await db.order.findFirst()).toMatchObject({ status: "success", quota: 3_000_000n });
    expect(await db.option.findUnique({ where: { key: "SafeKeyWords" } })).toMatchObject({
      value: "badword",
    });
  });

  it("reads prices that only the running program had from a file", async () => {
    const file = join(tmpdir(), `prices-${process.pid}.json`);
    const data = [
      { model_name: "half", quota_type: 0, model_ratio: 0.5, completion_ratio: 6, cache_ratio: 0.1 },
    ];
    await writeFile(file, JSON.stringify({ success: true, data }));
    const { db } = await imported("new-api", "sqlite", rows, "--prices", file);
    const price = await db.price.findUniqueOrThrow({ where: { model: "half" }, include: { extras: true } });
    expect([Number(price.input), Number(price.output)]).toEqual([0.5, 3]);
  });
});

describe("gateway import one-api", () => {
  it("imports users, keys, channels and the edited prices", async () => {
    const { report, note, db } = await imported("one-api", "sqlite", {
      users: [
        user(1, { quota: 500_000_000_000_000n }),
        user(2, { inviter_id: 1 }),
        user(3, { status: 3, inviter_id: 1 }),
      ],
      tokens: [
        token(1, "a".repeat(48), { models: "gpt-x", subnet: "10.0.0.0/8", created_time: 1_700_000_000 }),
        token(4, "d".repeat(48), { subnet: "," }),
        token(2, `with-${"b".repeat(43)}`),
        token(3, "c".repeat(48), { user_id: 3 }),
      ],
      channels: [
        {
          id: 1,
          type: 33,
          key: "ignored",
          status: 1,
          name: "aws",
          models: "m",
          group: "default",
          priority: 0,
          config: '{"region":"us-west-2","ak":"A","sk":"S"}',
          model_mapping: '{"m":"anthropic.m"}',
        },
        { id: 2, type: 38, key: "k", status: 1, name: "deepl", models: "d", group: "default", priority: 0 },
      ],
      options: [
        {
          key: "ModelRatio",
          value: '{"claude-3-x":1.5,"auto":-500000,"d(33)":2,"anthropic.m(33)":2,"anthropic.m":9}',
        },
        { key: "CompletionRatio", value: "{}" },
        { key: "GroupRatio", value: '{"default":0.75}' },
      ],
      logs: [
        log(1, { model_name: "claude-3-x", content: "倍率：1.50 × 0.75 × 5.00", quota: 2_250 }),
        // Its price was another one then.
        log(2, { model_name: "claude-3-x", content: "倍率：3.00 × 0.75 × 5.00", quota: 4_500 }),
        log(3, { model_name: "claude-3-x", content: "another text", quota: 7 }),
      ],
    });
    expect(report).toMatchObject({
      ok: true,
      proof: {
        keys_failed: [],
        audit_drift: "0",
        charges_compared: 1,
        charges_different: [],
        charges_not_comparable: 1,
      },
    });
    expect(await db.user.findUniqueOrThrow({ where: { id: 1 } })).toMatchObject({ aff_count: 2 });
    expect((await db.user.findUniqueOrThrow({ where: { id: 2 } })).created_time).toEqual(
      new Date(1_700_000_000_000),
    );
    expect(report.totals.live_users_quota).toEqual({ source: "500000001000000", here: "500000001000000" });
    expect(note("token_dead")?.examples).toEqual(["token 2"]);
    expect(note("token_limits_cut")?.examples).toEqual(["token 4"]);
    expect(note("price_by_type")).toBeDefined();
    expect(
      (await db.price.findMany()).map((price) => [price.model, Number(price.input), Number(price.output)]),
    ).toEqual([
      ["claude-3-x", 1.5, 7.5],
      // Only channels of this type have the model.
      ["anthropic.m", 2, 2],
    ]);
    const { keys } = await db.channel.findUniqueOrThrow({ where: { id: 1 }, include: { keys: true } });
    expect(keys.map((key) => open.decrypt(key.key_encrypted, "channel:1"))).toEqual(["us-west-2|A|S"]);
    expect(await db.channel.findUnique({ where: { id: 2 } })).toMatchObject({ status: 2 });
    expect((await db.user.findUniqueOrThrow({ where: { id: 3 } })).deleted_at).not.toBeNull();
  });
});
