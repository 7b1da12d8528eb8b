/**
 * The product's specification, one row per statement that schemas, texts and constants can show. Other statements have a
 * row in apps/web/src/specification.test.tsx, apps/server/src/console/specification.test.ts and
 * apps/web/e2e/site/specification.test.ts.
 */
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { RegisterInput } from "./accounts/registration.ts";
import { can, mayEnter, Role, roleName } from "./accounts/roles.ts";
import { LoginInput } from "./accounts/session.ts";
import { IdentityProviderId } from "./accounts/sign-in.ts";
import { TokenStatus } from "./accounts/token-status.ts";
import { TokenInput, TokenRow } from "./accounts/token.ts";
import { QuotaChange, UserDetail, UserInput, UserRow } from "./accounts/user.ts";
import {
  formatNumber,
  formatPrice,
  formatQuota,
  pointsOf,
  POINTS_PER_USD,
  USD_PER_1K_AT_RATIO_1,
} from "./billing/money.ts";
import { formatCents, priceOrder } from "./billing/order-price.ts";
import { MAX_TOP_UP, OrderInput, OrderRow } from "./billing/order.ts";
import { PaymentForm, PaymentInput, PaymentRow } from "./billing/payment.ts";
import { PriceGroupInput, PriceInput, PriceRow } from "./billing/price.ts";
import { RedemptionInput, RedemptionRow, RedemptionStatus } from "./billing/redemption.ts";
import { ChannelStatus } from "./channels/channel-status.ts";
import { ChannelInput, ChannelRow } from "./channels/channel.ts";
import { TOKEN_BUCKET_FROM, UserGroupInput, UserGroupRow } from "./channels/group.ts";
import { ModelOwnerInput, ModelOwnerRow } from "./channels/owner.ts";
import { TaskRow } from "./channels/task.ts";
import { messageOf } from "./errors.ts";
import { allErrors } from "./errors.ts";
import { fieldReasons } from "./errors/fields.ts";
import { issueOf } from "./errors/issue.ts";
import { defaultChatLinks, shownChatLinks } from "./site/chat-link.ts";
import { ChatLinkEntry } from "./site/formats/chat-link-entry.ts";
import { defaultSettings, Settings } from "./site/settings.ts";
import { SiteStatus } from "./site/status.ts";
import { TelegramMenuInput, TelegramMenuRow } from "./site/telegram.ts";
import { LogRow } from "./usage/log.ts";

/** The schema, a value, the field, and the message of the field. */
type Refusal = [schema: z.ZodType, value: unknown, field: string, message: string | RegExp];

function messageAt([schema, value, field]: Refusal): string | undefined {
  const issue = schema.safeParse(value).error?.issues.find(({ path }) => path.join(".") === field);
  return issue === undefined ? undefined : messageOf("invalid_request", { ...issueOf(issue, value) });
}

const user = { username: "mei.lin", password: "long enough" };
const channel = { type: 1, name: "One", key: "sk-1", models: ["gpt-4o"], groups: ["default"] };
const price = { model: "m", type: "tokens", channel_type: 1, input: 1, output: 1 };
const gateway = { type: "epay", name: "Pay", icon: "card", currency: "CNY", config: {} };
const codes = { name: "gift", quota: 1, count: 1 };
const command = { command: "price", description: "Prices", parse_mode: "HTML", reply_message: "Hello" };
const group = { symbol: "vip", name: "VIP", ratio: 1, api_rate: 60, min: 0, max: 0 };

describe("§5 validation", () => {
  it("accepts what is complete", () => {
    const complete: [z.ZodType, unknown][] = [
      [RegisterInput, user],
      [UserInput, user],
      [ChannelInput, { ...channel, models: ["gpt-4o", "gpt-*"], priority: 0, weight: 1 }],
      [ChannelInput, { ...channel, model_mapping: { "gpt-4o": "+gpt-4o-mini" } }],
      [PriceInput, { ...price, input: 0, output: 0 }],
      [PaymentInput, { ...gateway, fixed_fee: 0, percent_fee: 0.05, sort: 0 }],
      [RedemptionInput, { ...codes, quota: 0 }],
      [OrderInput, { uuid: "u", amount: 1_000_000 }],
      [TelegramMenuInput, command],
      [UserGroupInput, group],
      [ModelOwnerInput, { id: 1001, name: "Owner" }],
    ];
    for (const [schema, value] of complete) expect(schema.safeParse(value).error?.issues ?? []).toEqual([]);
  });

  const refusals: [string, Refusal][] = [
    ["username required", [LoginInput, { ...user, username: "" }, "username", "This is required"]],
    ["username at least 3", [UserInput, { ...user, username: "ab" }, "username", /at least 3 characters/]],
    [
      "username at least 3",
      [RegisterInput, { ...user, username: "ab" }, "username", /at least 3 characters/],
    ],
    ["password required", [LoginInput, { ...user, password: "" }, "password", "This is required"]],
    ["password at least 8", [UserInput, { ...user, password: "1234567" }, "password", /at least 8/]],
    ["register: valid email", [RegisterInput, { ...user, email: "mei" }, "email", /email/]],
    ["channel: name", [ChannelInput, { ...channel, name: " " }, "name", "Name is required"]],
    ["channel: models", [ChannelInput, { ...channel, models: [] }, "models", /model is required/]],
    ["channel: group", [ChannelInput, { ...channel, groups: [] }, "groups", /group is required/]],
    ["channel: JSON", [ChannelInput, { ...channel, model_mapping: "{" }, "model_mapping", "Invalid JSON"]],
    ["channel: JSON", [ChannelInput, { ...channel, model_headers: "{" }, "model_headers", "Invalid JSON"]],
    [
      "channel: JSON",
      [ChannelInput, { ...channel, custom_parameter: "" }, "custom_parameter", "Invalid JSON"],
    ],
    ["priority", [ChannelInput, { ...channel, priority: -1 }, "priority", "Priority cannot be less than 0"]],
    ["weight", [ChannelInput, { ...channel, weight: 0 }, "weight", "Weight cannot be less than 1"]],
    ["* only last", [ChannelInput, { ...channel, models: ["a*b"] }, "models.0", /only allowed as the last/]],
    ["* after characters", [ChannelInput, { ...channel, models: ["*"] }, "models.0", /at least one other/]],
    ["payment: currency", [PaymentForm, { ...gateway, currency: "" }, "currency", /./]],
    ["payment: icon", [PaymentForm, { ...gateway, icon: "" }, "icon", "Choose an icon"]],
    ["payment: fixedFee", [PaymentForm, { ...gateway, fixed_fee: -1 }, "fixed_fee", /less than 0/]],
    ["payment: percentFee", [PaymentForm, { ...gateway, percent_fee: -1 }, "percent_fee", /less than 0/]],
    [
      "payment: percentFee is a share, 5% entered as 0.05",
      [PaymentForm, { ...gateway, percent_fee: 5 }, "percent_fee", /./],
    ],
    ["payment: sort", [PaymentForm, { ...gateway, sort: -1 }, "sort", /less than 0/]],
    ["pricing: model name", [PriceInput, { ...price, model: "" }, "model", "Model name is required"]],
    ["pricing: models", [PriceGroupInput, { models: [], price }, "models", /model is required/]],
    ["pricing: type", [PriceInput, { ...price, type: "" }, "type", "The type can only be tokens or times"]],
    [
      "pricing: channel type",
      [PriceInput, { ...price, channel_type: 0 }, "channel_type", "Channel type error"],
    ],
    ["pricing: input at least 0", [PriceInput, { ...price, input: -1 }, "input", /less than 0/]],
    ["pricing: output at least 0", [PriceInput, { ...price, output: -1 }, "output", /less than 0/]],
    ["pricing: input required", [PriceInput, { ...price, input: undefined }, "input", /./]],
    ["redemption: count at least 1", [RedemptionInput, { ...codes, count: 0 }, "count", /At least one/]],
    ["redemption: quota at least 0", [RedemptionInput, { ...codes, quota: -1 }, "quota", /negative/]],
    ["top-up: positive", [OrderInput, { uuid: "u", amount: 0 }, "amount", /whole number/]],
    ["top-up: whole", [OrderInput, { uuid: "u", amount: 1.5 }, "amount", /whole number/]],
    [
      "top-up: at most 1000000",
      [OrderInput, { uuid: "u", amount: 1_000_001 }, "amount", "Amount cannot exceed 1000000"],
    ],
    ["user: group", [UserInput, { ...user, group: "" }, "group", "Choose a group"]],
    ["user: username", [UserInput, { ...user, username: undefined }, "username", "This is required"]],
    ["user: password", [UserInput, { ...user, password: undefined }, "password", "This is required"]],
    ["user: quota change", [QuotaChange, { remark: "a" }, "quota", "This is required"]],
    ["user: quota not below 0", [UserInput, { ...user, quota: -1 }, "quota", "Quota cannot be negative"]],
    ["telegram: command", [TelegramMenuInput, { ...command, command: "" }, "command", /required/]],
    [
      "telegram: description",
      [TelegramMenuInput, { ...command, description: "" }, "description", /required/],
    ],
    [
      "telegram: content",
      [TelegramMenuInput, { ...command, reply_message: "" }, "reply_message", /required/],
    ],
    ["telegram: type", [TelegramMenuInput, { ...command, parse_mode: "" }, "parse_mode", /required/]],
    ["user group: name", [UserGroupInput, { ...group, name: "" }, "name", "Name is required"]],
    ["user group: symbol in English", [UserGroupInput, { ...group, symbol: "组" }, "symbol", /English/]],
    ["ownership: id above 1000", [ModelOwnerInput, { id: 1000, name: "x" }, "id", /above 1000/]],
  ];

  it.each(refusals)("%s", (_, refusal) => {
    const message = messageAt(refusal);
    expect(message).toBeDefined();
    if (typeof refusal[3] === "string") expect(message).toBe(refusal[3]);
    else expect(message).toMatch(refusal[3]);
  });

  it("quota conversion: value times quota_per_unit, rounded to an integer", () => {
    expect(pointsOf(1.25)).toBe(625_000);
    expect(pointsOf(0.000_003)).toBe(2);
    expect(pointsOf(2, 1000)).toBe(2000);
  });
});

describe("§8 texts in English", () => {
  const texts = allErrors().map(({ template }) => template);
  it.each([
    "Invalid JSON",
    "Must be a valid JSON string",
    "Failed to get model list: {{detail}}",
    "Priority cannot be less than 0",
    "Weight cannot be less than 1",
    "Passwords do not match",
    "Amount cannot exceed 1000000",
    "Cannot deduct an amount exceeding the user's balance",
    "Channel type error",
    "Model names cannot be repeated",
    "The type can only be tokens or times",
  ])("%s", (text) => expect(texts).toContain(text));
});

describe("§3 entities", () => {
  const entities: [string, { shape: object }, string][] = [
    [
      "site info",
      SiteStatus,
      "chat_link chat_links display_in_currency email_verification footer_html github_client_id github_oauth oidc_auth logo quota_per_unit server_address start_time system_name language top_up_link turnstile_check turnstile_site_key version wechat_login wechat_qrcode lark_login lark_client_id telegram_bot",
    ],
    ["login payload", LoginInput, "username password"],
    [
      "channel",
      ChannelRow,
      "name type base_url other proxy test_model models model_mapping groups tag priority weight status response_time used_quota balance only_chat model_headers pre_cost plugin",
    ],
    ["channel input", ChannelInput, "key"],
    [
      "token",
      TokenRow,
      "name status remain_quota used_quota created_time expired_time unlimited_quota group setting",
    ],
    [
      "user",
      UserDetail,
      "id username display_name group quota status role request_count email identities providers",
    ],
    ["stored user", UserRow, "role avatar_url username"],
    ["quota change", QuotaChange, "quota remark"],
    ["redemption code", RedemptionRow, "id name quota status created_time redeemed_time"],
    ["redemption input", RedemptionInput, "count"],
    [
      "payment gateway",
      PaymentRow,
      "id uuid name type icon currency fixed_fee percent_fee notify_domain sort enable created_at",
    ],
    [
      "order",
      OrderRow,
      "trade_no user_id gateway_id gateway_no amount order_amount discount fee quota status created_at",
    ],
    ["price", PriceRow, "model type channel_type input output extra_ratios"],
    ["user group", UserGroupRow, "id symbol name ratio public enable api_rate"],
    ["model ownership", ModelOwnerRow, "id name icon"],
    ["chat link", ChatLinkEntry, "name url show sort"],
    ["telegram menu", TelegramMenuRow, "id command description reply_message parse_mode"],
    [
      "log",
      LogRow,
      "created_at type username token_name model_name channel_name group prompt_tokens completion_tokens quota request_time bill source_ip",
    ],
    [
      "asynchronous task",
      TaskRow,
      "id channel_id platform action status progress submit_time finish_time fail_reason user_id",
    ],
  ];
  it.each(entities)("%s", (_, { shape }, fields) => {
    expect(Object.keys(shape)).toEqual(expect.arrayContaining(fields.split(" ")));
  });

  it("a token can have its own cache", () => {
    expect(TokenInput.parse({ name: "t" }).setting.cache.enabled).toBe(false);
  });
});

describe("§4 states, §6 roles", () => {
  it("channel: enabled, disabled manually or automatically", () =>
    expect(ChannelStatus).toMatchObject({ enabled: 1, disabled: 2, autoDisabled: 3 }));
  it("token: enabled, disabled, expired, exhausted", () =>
    expect(TokenStatus).toEqual({ enabled: 1, disabled: 2, expired: 3, exhausted: 4 }));
  it("redemption code: unredeemed to redeemed", () =>
    expect(RedemptionStatus).toEqual({ enabled: 1, disabled: 2, used: 3 }));
  it("role 10 and above is admin", () => {
    expect([1, 9, 10, 100].map((role) => can(role, "administer"))).toEqual([false, false, true, true]);
    expect(mayEnter({ role: 10, permissions: null }, "settings", "edit")).toBe(true);
  });
  it("ordinary user, admin, super admin, unknown", () => {
    expect([1, 10, 100, 7].map(roleName)).toEqual(["user", "admin", "root", "unknown"]);
    expect(Role).toMatchObject({ user: 1, admin: 10, root: 100 });
  });
});

describe("§1, §9 constants and formats", () => {
  const rows: [string, unknown, unknown][] = [
    ["site name", defaultSettings.SystemName, "One Hub"],
    ["default language", defaultSettings.Language, "zh_CN"],
    ["sign-in besides a password", IdentityProviderId.options, ["github", "lark", "wechat", "oidc"]],
    ["languages", Settings.shape.Language.unwrap().options, ["zh_CN", "zh_HK", "en_US", "ja_JP"]],
    ["quota_per_unit", defaultSettings.QuotaPerUnit, 500_000],
    ["one credit is $0.000002", 1 / POINTS_PER_USD, 0.000_002],
    ["a ratio of 1 is $0.002 per 1K tokens", USD_PER_1K_AT_RATIO_1, 0.002],
    ["quota validity in days", defaultSettings.QuotaValidityDays, 180],
    ["top-up maximum", MAX_TOP_UP, 1_000_000],
    ["SMTP port", defaultSettings.SMTPPort, 587],
    ["token bucket from", TOKEN_BUCKET_FROM, 60],
    ["B", formatNumber(1e9), "1.0B"],
    ["M", formatNumber(1e6), "1.0M"],
    ["k", formatNumber(1e4), "10.0k"],
    ["below 1e4", formatNumber(9_999), "9999"],
    ["$ with two decimals", formatQuota(617_000, { inCurrency: true }), "$1.23"],
    ["a price of 0", formatPrice(0), "Free"],
    ["dollars × 0.002, yuan × 0.014", formatPrice(1), "$0.002 / ￥0.014"],
    ["optional × 1000, zeros trimmed", formatPrice(2.5, { perMillion: true }), "$5 / ￥35"],
    ["six significant digits", formatPrice(1 / 3), "$0.000666667 / ￥0.00466667"],
    [
      "clients of chat links, by sort descending",
      shownLinks(),
      ["chatgpt-web-midjourney-proxy", "ChatGPT Next"],
    ],
    ["two more are hidden", defaultChatLinks.filter(({ show }) => !show).length, 2],
    ["links have {key} and {server}", defaultChatLinks.every(hasPlaceholders), true],
    ["an unknown field has a text", Object.values(fieldReasons).every((text) => text.length > 0), true],
  ];
  it.each(rows)("%s", (_, value, expected) => expect(value).toEqual(expected));

  it("discount: (value × discount + value × discount × fee rate) × rate", () => {
    const terms = { amount: 100, discount: 0.9, fixed_fee: 0, percent_fee: 0.05, usd_rate: 7.3 };
    const { total } = priceOrder({ ...terms, currency: "CNY" });
    expect(formatCents(total)).toBe(((100 * 0.9 + 100 * 0.9 * 0.05) * 7.3).toFixed(2));
  });
});

function shownLinks(): string[] {
  return shownChatLinks("").map(({ name }) => name);
}

function hasPlaceholders({ url }: { url: string }): boolean {
  return url.includes("{key}") && url.includes("{server}");
}
