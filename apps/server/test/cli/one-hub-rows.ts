import { hash as bcrypt } from "@node-rs/bcrypt";
import type { Rows } from "./foreign-database.ts";

/** The rows of a One Hub database with the cases that an import can get wrong. Its users sign in with one password. */
export const oneHubPassword = "correct horse";
/** A key of the first program versions, and one of the later ones. */
export const oldKey = "A".repeat(48);
export const newerKey = `${"b".repeat(15)}_${"c-_9".repeat(10)}abc`;

const day = 86_400;
const now = Math.floor(Date.now() / 1_000);

export async function oneHubRows(): Promise<Rows> {
  const password = await bcrypt(oneHubPassword, { cost: 4 });
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
      token(1, oldKey, { used_quota: 0 }),
      token(2, newerKey, { unlimited_quota: false, remain_quota: 199_703, used_quota: 90_000 }),
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
        // Not a NUL, only its name in JSON.
        content: String.raw`no code \u0000 but text`,
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
