/** Rows that occur in databases of years: each of them broke an importer, or made it say something untrue. */
import type { Rows } from "./foreign-database.ts";

const day = 86_400;
export const today = Math.floor(Date.now() / 1_000);
const bcrypt = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
const timeOfDeletion = "2026-01-02 03:04:05.118709409+00:00";

const keyOf = (letter: string) => letter.repeat(48);

const users = (product: DifficultProduct) => {
  const deletes = product !== "one-api";
  const user = (id: number, fields: object = {}) => ({
    id,
    username: `user-${id}`,
    password: bcrypt,
    role: 1,
    status: 1,
    email: "",
    group: "default",
    quota: 1_000,
    used_quota: 0,
    aff_code: `a${id}`,
    ...fields,
  });
  return [
    user(1, { username: "root", role: 100, aff_code: "", quota: "500000000000000" }),
    user(2, { quota: -12_498, used_quota: 12_498 }),
    user(3, { email: "Same@Example.test" }),
    user(4, { email: " same@example.TEST" }),
    user(5, deletes ? { deleted_at: timeOfDeletion, quota: 77 } : { status: 3, quota: 77 }),
    user(6, { quota: 2_147_483_647, used_quota: "4294967296" }),
    user(7, { quota: -2_147_483_648, used_quota: 2_147_483_648 }),
    user(8, { quota: "9007199254740991", used_quota: "9007199254740991" }),
    user(9, { username: "表情 😀", display_name: "👩‍👩‍👧‍👦 Ü", group: "贵宾😀" }),
    user(10, { username: "Same-Name" }),
    user(11, { username: "same-name" }),
    user(12, { inviter_id: 13 }),
    user(13, { inviter_id: 12, role: 10 }),
    user(14, { inviter_id: 14 }),
    user(15, { inviter_id: 999, role: 100 }),
    {
      id: 16,
      username: "bare",
      password: "",
      role: null,
      status: 1,
      email: null,
      group: null,
      quota: null,
      used_quota: null,
      aff_code: null,
      access_token: null,
      inviter_id: null,
    },
    user(17, { display_name: "x".repeat(300), access_token: "0123456789abcdef0123456789abcdef" }),
    user(18, { access_token: "", role: 0, status: 0, aff_code: "A2" }),
    ...(deletes ? [user(19, { status: 2, group: "gone" })] : []),
    // Of a deleted account and a later live one, the live one keeps address, name and access token.
    user(20, {
      ...(deletes ? { deleted_at: timeOfDeletion } : { status: 3 }),
      username: "Late-Name",
      email: "late@example.test",
      access_token: "1123456789abcdef0123456789abcdef",
      wechat_id: "wx-late",
    }),
    user(21, { username: "late-name", email: "Late@Example.test", wechat_id: "wx-late", aff_code: "a20" }),
  ];
};

const tokens = (product: DifficultProduct) => {
  const token = (id: number, key: string, fields: object = {}) => ({
    id,
    user_id: 2,
    key,
    name: `key ${id}`,
    status: 1,
    created_time: today - 9 * day,
    expired_time: -1,
    remain_quota: 0,
    unlimited_quota: true,
    used_quota: 0,
    ...fields,
  });
  return [
    token(1, keyOf("A"), { used_quota: 5_000 }),
    // Only the case differs.
    token(2, keyOf("a"), { user_id: 8 }),
    token(3, keyOf("B"), { expired_time: 0 }),
    token(4, keyOf("C"), { expired_time: today - day, status: 3 }),
    token(5, keyOf("D"), {
      unlimited_quota: false,
      remain_quota: -54_736,
      status: 4,
      used_quota: "3000000000",
    }),
    token(6, keyOf("E"), { user_id: 404 }),
    token(7, keyOf("F"), { user_id: 5 }),
    token(8, `with-${"b".repeat(43)}`),
    token(9, "with a blank"),
    token(10, keyOf("G"), { name: "😀".repeat(60), status: 2 }),
    token(11, keyOf("H"), { status: 4, unlimited_quota: false, remain_quota: 500 }),
    token(12, keyOf("I"), {
      unlimited_quota: null,
      remain_quota: "2147483648",
      accessed_time: null,
      name: null,
    }),
    token(13, keyOf("J"), { user_id: 9, expired_time: "253402300799" }),
    token(14, ""),
    ...(product === "one-api" ? [] : [token(15, keyOf("K"), { deleted_at: timeOfDeletion })]),
  ];
};

const channels = (product: DifficultProduct) => {
  const channel = (id: number, fields: object) => ({
    id,
    type: 1,
    key: `sk-${id}`,
    status: 1,
    name: `channel ${id}`,
    models: "gpt-x",
    group: "default",
    base_url: "",
    priority: 0,
    weight: 0,
    used_quota: 0,
    ...fields,
  });
  const types = [...Array.from({ length: 62 }, (_, type) => type), 999, -1];
  return [
    ...types.map((type, index) => channel(100 + index, { type, key: "one|two|three" })),
    channel(1, { models: "gpt-*, *,a*b,,gpt-*, plain ", group: "default,贵宾😀,nowhere", priority: -7 }),
    channel(2, { models: "", key: "" }),
    channel(3, {
      base_url: null,
      weight: null,
      priority: null,
      model_mapping: "{broken",
      name: "",
      group: null,
      balance: "12.3456789012",
      // A double has no such number.
      used_quota: "9007199254740993",
    }),
    channel(4, { status: 3, key: "k1\nk2\nk1", models: "m".repeat(200) }),
    channel(5, { status: 0, base_url: "not an address", model_mapping: '{"a":"b"}' }),
    channel(6, { priority: "9223372036854775807", weight: 4_000_000_000, name: "😀".repeat(100) }),
    ...(product === "one-api"
      ? []
      : [
          channel(7, {
            key: '{"type":"service_account",\n"project_id":"p"}',
            type: product === "new-api" ? 41 : 42,
          }),
        ]),
    ...(product === "one-hub"
      ? [channel(8, { deleted_at: timeOfDeletion, plugin: '{"customize":{"1":"/x"}}' })]
      : []),
    ...(product === "new-api"
      ? [channel(9, { key: "x\ny", channel_info: '{"is_multi_key":true,"multi_key_status_list":{"1":3}}' })]
      : []),
  ];
};

const logs = (product: DifficultProduct) => [
  ...Array.from({ length: 10 }, (_, type) => ({
    id: type + 1,
    user_id: type === 3 ? 404 : 2,
    created_at: type === 4 ? 0 : today - type * day,
    type,
    token_name: "key 1",
    model_name: "gpt-x",
    content: "Ü 😀",
    quota: type === 2 ? "4294967296" : 0,
    prompt_tokens: 5,
    completion_tokens: -1,
    channel_id: 1,
    is_stream: type === 2,
    ...(product === "one-hub" ? { metadata: type === 1 ? null : '{"group_name":"贵宾😀"}' } : {}),
  })),
  // Longer and larger than anything that a program writes.
  {
    id: 11,
    user_id: 2,
    created_at: 4_102_444_800,
    type: 2,
    username: "u".repeat(500),
    token_name: "t".repeat(5_000),
    model_name: "m".repeat(5_000),
    content: "long ".repeat(20_000),
    quota: 1,
    prompt_tokens: "9007199254740991",
    completion_tokens: 0,
    channel_id: 1,
    is_stream: null,
    [{ "one-hub": "request_time", "new-api": "use_time", "one-api": "elapsed_time" }[product]]: 2_147_483_647,
  },
];

export type DifficultProduct = "one-hub" | "new-api" | "one-api";

export function difficultRows(product: DifficultProduct): Rows {
  const rows: Rows = {
    users: users(product),
    tokens: tokens(product),
    channels: channels(product),
    logs: logs(product),
    redemptions: [
      {
        id: 1,
        user_id: 1,
        key: "dfa8526f8d6e4fe7af4e479467316a41",
        status: 1,
        name: "😀",
        quota: "4294967296",
        created_time: today,
      },
      {
        id: 2,
        user_id: 1,
        key: "dfa8526f8d6e4fe7af4e479467316a41",
        status: 1,
        name: "again",
        quota: 5,
        created_time: today,
      },
      {
        id: 3,
        user_id: 1,
        key: "0fa8526f8d6e4fe7af4e479467316a41",
        status: 3,
        name: "minus",
        quota: -5,
        created_time: today,
      },
    ],
    options: [
      { key: "SystemName", value: "Haus 🏠" },
      { key: "QuotaForNewUser", value: "2147483647" },
      { key: "RetryTimes", value: "many" },
      { key: "SomeFork", value: "1" },
    ],
  };
  if (product === "one-hub")
    return {
      ...rows,
      user_groups: [
        { id: 1, symbol: "default", name: "Default", ratio: 1, api_rate: 600, public: true, enable: true },
        {
          id: 2,
          symbol: "贵宾😀",
          name: "贵宾",
          ratio: "1.26",
          api_rate: 60_000,
          public: false,
          enable: null,
        },
        { id: 3, symbol: "minus", name: "", ratio: -1, api_rate: 0, public: null, enable: true },
      ],
      prices: [
        { model: "gpt-x", type: "tokens", channel_type: 1, input: 9, output: 9 },
        {
          model: "gpt-x",
          type: "tokens",
          channel_type: 1,
          input: 0.1,
          output: 0.30000000000000004,
          extra_ratios: '{"cached_tokens":0.5}',
        },
        { model: "gpt-*", type: "times", channel_type: 0, input: 1, output: 0, extra_ratios: null },
        { model: "minus", type: "tokens", channel_type: 1, input: -1, output: 1 },
      ],
      statistics: [2, 404].map((user_id) => ({
        date: "2026-09-10",
        user_id,
        channel_id: 1,
        model_name: "gpt-x",
        request_count: 1,
        quota: 3_000,
        prompt_tokens: 1_000,
        completion_tokens: 500,
        request_time: 5,
      })),
    };
  return {
    ...rows,
    options: [
      ...(rows["options"] ?? []),
      { key: "GroupRatio", value: '{"default":1,"贵宾😀":1.26,"minus":-1}' },
      { key: "ModelRatio", value: '{"gpt-x":0.1,"gpt-*":0.30000000000000004,"minus":-1,"free":0}' },
      { key: "CompletionRatio", value: '{"gpt-x":3}' },
    ],
  };
}
