import { hash as bcrypt } from "@node-rs/bcrypt";
import { afterEach, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/audit.ts";
import { oneHubColumns } from "#migration/products/one-hub-columns.ts";
import type { ImportReport } from "#migration/report.ts";
import { connect } from "#platform/database/db.ts";
import { installedDatabase, type TestDatabase } from "#test/database.ts";
import { cli } from "./cli.ts";
import { type ForeignDatabase, foreignDatabase, type Rows } from "./foreign-database.ts";
import { startImported } from "./imported-gateway.ts";

const day = 86_400;
const now = Math.floor(Date.now() / 1_000);
const old = "A".repeat(48);
const newer = `${"b".repeat(15)}_${"c-_9".repeat(10)}abc`;
const cases: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const remove of cases.splice(0)) await remove();
});

async function target(): Promise<TestDatabase> {
  const database = await installedDatabase();
  cases.push(() => database.drop());
  return database;
}

async function source(kind: "sqlite" | "postgres", change: (rows: Rows) => void = () => undefined) {
  const rows = await oneHub();
  change(rows);
  const made: ForeignDatabase = await foreignDatabase(kind, oneHubColumns, rows);
  cases.push(made.remove);
  return made;
}

async function oneHub(): Promise<Rows> {
  const password = await bcrypt("correct horse", { cost: 4 });
  const user = (id: number, fields: object) => ({
    id,
    username: `user-${id}`,
    password,
    role: 1,
    status: 1,
    group: "default",
    quota: 1_000_000,
    used_quota: 0,
    aff_code: `a${id}`,
    created_time: now - 90 * day,
    ...fields,
  });
  const token = (id: number, key: string, fields: object) => ({
    id,
    user_id: 2,
    key,
    name: `key ${id}`,
    status: 1,
    expired_time: -1,
    remain_quota: 0,
    unlimited_quota: true,
    used_quota: 0,
    group: "",
    backup_group: "",
    ...fields,
  });
  return {
    users: [
      user(1, {
        username: "root",
        role: 100,
        aff_code: "",
        access_token: "0123456789abcdef0123456789abcdef",
      }),
      user(2, {
        username: "Анна 1",
        quota: 5_000_000_000_000,
        used_quota: 70_000,
        group: "贵宾",
        email: " Anna@Example.test",
      }),
      user(3, {
        quota: -12_498,
        used_quota: 12_498,
        inviter_id: 2,
        group: "lost",
        email: "anna@example.test",
      }),
      user(4, {
        inviter_id: 999,
        deleted_at: "2026-01-02 03:04:05.118709409+00:00",
        github_id: "octo",
        github_id_new: 77,
      }),
      user(5, { role: 100, telegram_id: 7_000_020_399, status: 2 }),
    ],
    tokens: [
      token(1, old, { used_quota: 0 }),
      token(2, newer, { unlimited_quota: false, remain_quota: 199_703, used_quota: 90_000 }),
      token(3, "D".repeat(48), { expired_time: 0 }),
      token(4, "E".repeat(48), { status: 4, unlimited_quota: false, remain_quota: -54_736 }),
      token(5, "F".repeat(48), { status: 3, unlimited_quota: true }),
      token(6, "G".repeat(48), { user_id: 404 }),
      token(7, "H".repeat(48), {
        setting:
          '{"limits":{"limit_model_setting":{"enabled":true,"models":["gpt-x"]},"limits_ip_setting":{"enabled":true,"whitelist":["10.0.0.0/8"]}}}',
      }),
      token(8, "short", {}),
      token(9, "I".repeat(48), { user_id: 4 }),
    ],
    channels: [
      {
        id: 3,
        type: 1,
        key: "sk-one",
        status: 1,
        name: "One",
        models: "gpt-x, gpt-y,gpt-x",
        group: "default,贵宾,nowhere",
        priority: -2,
        weight: 0,
        model_mapping: '{"gpt-y":"gpt-z"}',
        model_headers: '{"X-Team":"blue"}',
        used_quota: 3_000_000_000,
      },
      {
        id: 9,
        type: 4,
        key: "sk-nine",
        status: 1,
        name: "Reseller",
        models: "gpt-x",
        group: "default",
        priority: 5,
      },
    ],
    user_groups: [
      { id: 1, symbol: "default", name: "Default", ratio: 1, api_rate: 600, public: true, enable: true },
      { id: 7, symbol: "贵宾", name: "贵宾", ratio: 1.255, api_rate: 60_000, public: false, enable: true },
    ],
    prices: [
      { model: "gpt-x", type: "tokens", channel_type: 1, input: 9, output: 9 },
      {
        model: "gpt-x",
        type: "tokens",
        channel_type: 1,
        input: 1.25,
        output: 5,
        extra_ratios: '{"cached_tokens":0.5}',
      },
      { model: "bad", type: "tokens", channel_type: 1, input: -1, output: 1 },
    ],
    logs: [
      {
        id: 1,
        user_id: 2,
        created_at: now - 40 * day,
        type: 2,
        token_name: "key 1",
        model_name: "gpt-x",
        quota: 4_236,
        prompt_tokens: 1_000,
        completion_tokens: 500,
        channel_id: 3,
        metadata:
          '{"group_name":"贵宾","group_ratio":1.255,"input_ratio":1.25,"output_ratio":5,"price_type":"tokens","cached_tokens":600,"cached_tokens_ratio":0.5}',
      },
    ],
    statistics: [
      {
        date: "2026-09-10",
        user_id: 2,
        channel_id: 3,
        model_name: "gpt-x",
        request_count: 1,
        quota: 4_236,
        prompt_tokens: 1_000,
        completion_tokens: 500,
        request_time: 5,
      },
      {
        date: "2026-09-10",
        user_id: 404,
        channel_id: 3,
        model_name: "gpt-x",
        request_count: 1,
        quota: 99,
        prompt_tokens: 1,
        completion_tokens: 1,
        request_time: 5,
      },
    ],
    redemptions: [
      {
        id: 1,
        user_id: 1,
        key: "dfa8526f8d6e4fe7af4e479467316a41",
        status: 1,
        name: "open",
        quota: 50_000,
        created_time: now,
      },
    ],
    payments: [
      {
        id: 1,
        type: "epay",
        uuid: "0ad7745091624f32ad3ed03f2fb88481",
        name: "Alipay",
        fixed_fee: 0,
        percent_fee: 0.02,
        currency: "CNY",
        config: '{"pay_domain":"https://pay.test","partner_id":"1001","key":"k","pay_type":"alipay"}',
        sort: 1,
        enable: true,
        created_at: now,
      },
    ],
    orders: [
      {
        id: 4,
        user_id: 2,
        gateway_id: 1,
        trade_no: "T1",
        gateway_no: "",
        amount: 10,
        order_amount: 68.8,
        order_currency: "CNY",
        quota: 5_000_000,
        fee: 0.19,
        discount: 3.62,
        status: "pending",
        created_at: now - 9 * day,
      },
    ],
    options: [
      { key: "SystemName", value: "Haus 🏠" },
      { key: "SMTPToken", value: "mail-secret" },
      { key: "ChannelDisableThreshold", value: "12.5" },
      { key: "GitHubOAuthEnabled", value: "true" },
      { key: "PreConsumedQuota", value: "500" },
    ],
    telegram_menus: [
      { id: 1, command: "price", description: "Prices", parse_mode: "MarkdownV2", reply_message: "*Prices*" },
    ],
  };
}

const noteOf = (report: ImportReport, code: string) => report.notes.find((note) => note.code === code);

describe("gateway import one-hub", () => {
  it.each(["sqlite", "postgres"] as const)("imports everything from %s and verifies it", async (kind) => {
    const from = await source(kind);
    await from.run("ALTER TABLE users ADD COLUMN legacy_flag text; CREATE TABLE plugin_notes (id int)");
    const { url } = await target();
    const run = await cli(url, "import", "one-hub", "--from", from.from, "--yes", "--json", "--logs", "60");
    expect(run.exitCode, run.err).toBe(0);
    const report = run.json() as ImportReport;
    expect(report).toMatchObject({
      ok: true,
      totals: { users_quota: { source: "5000002987502", here: "5000002987502" } },
      unknown: expect.arrayContaining([
        { table: "users", columns: ["legacy_flag"] },
        { table: "plugin_notes", columns: [] },
      ]),
      proof: {
        balances_different: 0,
        audit_drift: "0",
        keys_failed: [],
        charges_compared: 1,
        charges_different: [],
      },
      counts: { logs: { imported: 1 }, tokens: { read: 9, imported: 8, skipped: 1 } },
    });
    expect(noteOf(report, "model_unpriced")?.examples).toEqual(["gpt-z"]);
    expect(noteOf(report, "group_made")?.examples.sort()).toEqual(["lost", "nowhere"]);
    for (const code of [
      "second_root",
      "token_dead",
      "token_marked_over",
      "email_repeated",
      "inviter_gone",
      "usage_owner",
    ])
      expect(noteOf(report, code), code).toMatchObject({ count: 1 });

    const database = connect(url, { max: 2 });
    cases.push(() => database.close());
    const { db, pool } = database;
    expect((await audit(pool)).drift).toBe(0n);
    const [entry] = await db.ledgerEntry.findMany({ where: { user_id: 3 } });
    // The balance was 12,498 below zero after as much usage, so nothing was ever credited.
    expect(entry).toBeUndefined();
    expect(await db.user.findUnique({ where: { id: 2 } })).toMatchObject({
      quota: 5_000_000_000_000n,
      used_quota: 90_000n,
      group: "g-7",
      email: "anna@example.test",
    });
    expect(await db.channel.findUnique({ where: { id: 9 } })).toMatchObject({
      type: 8,
      status: 2,
      priority: 7,
    });
    expect(await db.channel.findUnique({ where: { id: 3 } })).toMatchObject({
      status: 1,
      priority: 0,
      weight: 1,
    });
    expect(Number((await db.price.findUniqueOrThrow({ where: { model: "gpt-x" } })).input)).toBe(1.25);
    expect(await db.order.findFirst()).toMatchObject({ status: "closed", gateway_no: null });
    expect(await db.import.count()).toBe(1);

    const gateway = await startImported(url);
    cases.unshift(() => gateway.stop());
    // The start adds no price for models that the old gateway did not price.
    expect(await db.price.count()).toBe(1);
    expect(await gateway.signIn("Анна 1", "correct horse")).toBe(true);
    expect(await gateway.signIn("Анна 1", "wrong horse")).toBe(false);
    expect((await db.user.findUniqueOrThrow({ where: { id: 2 } })).password_hash).toMatch(/^\$argon2id\$/);
    expect(await gateway.signIn("Анна 1", "correct horse")).toBe(true);
    expect(await gateway.own("0123456789abcdef0123456789abcdef")).toMatchObject({ status: 200 });
    const statuses: Record<string, number> = {};
    for (const key of [old, newer, ..."DEFGHI".split("").map((letter) => letter.repeat(48))])
      statuses[key.slice(0, 1)] = (await gateway.models(`sk-${key}`)).status;
    expect(statuses).toMatchObject({ A: 200, b: 200, D: 403, F: 403, G: 401, I: 401 });
    expect((await gateway.models(`sk-${"H".repeat(48)}`, "10.1.2.3")).status).toBe(200);
  });

  it("changes nothing in a dry run or in a second run", async () => {
    const from = await source("sqlite");
    const { url } = await target();
    const dry = await cli(url, "import", "one-hub", "--from", from.from, "--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, out: expect.stringContaining("Dry run: nothing was changed.") });
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    expect(await database.db.user.count()).toBe(0);
    expect(await database.db.userGroup.count()).toBe(3);
    expect((await cli(url, "import", "one-hub", "--from", from.from, "--yes")).exitCode).toBe(0);
    const before = await database.db.ledgerEntry.count();
    const again = await cli(url, "import", "one-hub", "--from", from.from, "--yes");
    expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining("Nothing was changed.") });
    expect(await database.db.ledgerEntry.count()).toBe(before);
  });

  it("rejects invalid data before it writes anything, and reports what to do", async () => {
    const from = await source("sqlite");
    const { url } = await target();
    const refused = async (...args: string[]) => {
      const { exitCode, err } = await cli(url, "import", ...args);
      expect(exitCode).toBeGreaterThan(1);
      return err;
    };
    expect(await refused("one-hub", "--from", "/nowhere/one-api.db", "--yes")).toContain("does not exist");
    expect(await refused("one-hub", "--from", import.meta.filename, "--yes")).toContain(
      "not an SQLite database",
    );
    expect(await refused("one-hub", "--from", "postgres://a@127.0.0.1:1/b", "--yes")).toContain(
      "after --from",
    );
    expect(await refused("one-hub", "--from", url, "--yes")).toContain("is not a One Hub database");
    expect(await refused("one-hub", "--from", from.from)).toContain("--yes");
    expect(await refused("one-hub")).toContain("--from");
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    await database.db.user.create({ data: { username: "someone", aff_code: "x" } });
    expect(await refused("one-hub", "--from", from.from, "--yes")).toContain("is not empty: it has users");
  });
});
