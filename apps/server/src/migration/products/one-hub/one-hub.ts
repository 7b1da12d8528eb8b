import { readRedemptions } from "#migration/family/redemptions.ts";
import { limitsOf, readTokens } from "#migration/family/tokens.ts";
import { readPasskeys, readUsers } from "#migration/family/users.ts";
import type { Product, ReadContext } from "#migration/products/product.ts";
import type { GroupRecord } from "#migration/records.ts";
import { decimal, flag, int, json, record, text } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";
import { oneHubChannels } from "./channels.ts";
import { oneHubColumns } from "./columns.ts";
import { oneHubCharges, oneHubLogs, oneHubUsage } from "./history.ts";
import { oneHubOrders, oneHubPayments, oneHubPrices } from "./money.ts";
import { oneHubMenus, oneHubModelInfo, oneHubModelOwners, oneHubTasks } from "./other-tables.ts";

/** One Hub: this gateway keeps its names and numbers, so most of it is copied. */
export const oneHub: Product = {
  id: "one-hub",
  title: "One Hub",
  known: oneHubColumns,
  required: {
    users: "id username password quota used_quota group github_id_new",
    tokens: "id user_id key status expired_time remain_quota unlimited_quota setting",
    channels: "id type key models group plugin",
    user_groups: "symbol ratio",
    prices: "model type input output",
    options: "key value",
  },
  groups,
  users: readUsers,
  passkeys: (context) => readPasskeys(context, "webauthn_credentials"),
  tokens: (context) =>
    readTokens(context, {
      accepts: (key) => key.length === 48 || key.length === 59,
      setting: settingOf,
      groups: (row) => ({ group: text(row, "group").trim(), backupGroup: text(row, "backup_group").trim() }),
      billingTag: (row) => textOf(record(json(row, "setting"))["billing_tag"]),
    }),
  channels: oneHubChannels,
  prices: oneHubPrices,
  redemptions: readRedemptions,
  payments: oneHubPayments,
  orders: oneHubOrders,
  tasks: oneHubTasks,
  modelOwners: oneHubModelOwners,
  modelInfo: oneHubModelInfo,
  menus: oneHubMenus,
  usage: oneHubUsage,
  logs: oneHubLogs,
  charges: oneHubCharges,
  settings: ({ options }) => Object.fromEntries(options),
};

async function* groups({ source, book }: ReadContext): AsyncGenerator<GroupRecord> {
  for await (const row of source.rows({ table: "user_groups", orderBy: "id" })) {
    book.read("groups");
    yield {
      id: int(row, "id"),
      symbol: text(row, "symbol").trim(),
      name: text(row, "name"),
      ratio: decimal(text(row, "ratio"), 6) ?? "1",
      public: flag(row, "public"),
      enable: flag(row, "enable", true),
      apiRate: int(row, "api_rate"),
      promotion: flag(row, "promotion"),
      min: int(row, "min"),
      max: int(row, "max"),
    };
  }
}

function settingOf(row: SourceRow) {
  const setting = record(json(row, "setting"));
  const limits = record(setting["limits"]);
  // Before October 2025 the model limit stood where both limits stand now.
  const models = record(limits["limit_model_setting"] ?? limits);
  const addresses = record(limits["limits_ip_setting"]);
  const heartbeat = record(setting["heartbeat"]);
  return limitsOf(
    models["enabled"] === true ? textsOf(models["models"]) : undefined,
    addresses["enabled"] === true ? textsOf(addresses["whitelist"]) : undefined,
    {
      enabled: heartbeat["enabled"] === true,
      timeout_seconds: Math.min(90, Math.max(30, Math.trunc(Number(heartbeat["timeout_seconds"]) || 30))),
    },
  );
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string" && each !== "") : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
