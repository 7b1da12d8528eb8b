/** Keys, of which LiteLLM keeps only the SHA-256: they go on working, and cannot be shown. */
import type { Budget } from "@gateway/shared/accounts/budget";
import { TokenSetting } from "@gateway/shared/accounts/token";
import type { ReadContext } from "#migration/products/product.ts";
import type { TokenRecord } from "#migration/records.ts";
import { truncateText, flag, json, record, stamp, text, whole } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";
import {
  type LitellmAccount,
  type Accounts,
  accountsOf,
  budgetOf,
  createdAt,
  isUnknownPeriod,
  tagsOf,
  textsOf,
} from "./accounts.ts";
import { deploymentsOf } from "./deployments.ts";
import { dollars, pointsOf } from "./dollars.ts";

const table = "LiteLLM_VerificationToken";
const rotated = "LiteLLM_DeprecatedVerificationToken";
const hash = /^[\da-f]{64}$/;

interface Limits {
  /** `LiteLLM_BudgetTable` by its id. */
  budgets: Map<string, SourceRow>;
  /** Public model names by access group. */
  accessGroups: Map<string, string[]>;
}

/** Id of each key by its hash. */
export async function keyIds({ source }: ReadContext): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for await (const row of source.rows({ table, orderBy: "token" })) ids.set(text(row, "token"), ids.size + 1);
  return ids;
}

export async function* litellmKeys(context: ReadContext): AsyncGenerator<TokenRecord> {
  const { source, book } = context;
  const accounts = await accountsOf(context);
  const limits = await limitsOf(context);
  const later = new Map<string, { token: string; until: Date }[]>();
  if (source.columns.has(rotated))
    for await (const row of source.rows({ table: rotated })) {
      const until = stamp(row, "revoke_at");
      if (until === undefined || until <= context.now) continue;
      const active = text(row, "active_token_id");
      later.set(active, [...(later.get(active) ?? []), { token: text(row, "token"), until }]);
    }
  const old: TokenRecord[] = [];
  let id = 0;
  for await (const row of source.rows({ table, orderBy: "token" })) {
    book.read("tokens");
    id += 1;
    const key = keyOf(row, id, context, accounts, limits);
    if (key === undefined) continue;
    yield key;
    for (const { token, until } of later.get(text(row, "token")) ?? [])
      old.push({
        ...key,
        hash: token,
        name: truncateText(`${key.name} (rotated)`, 64),
        used: 0n,
        expiredTime: key.expiredTime === null || until < key.expiredTime ? until : key.expiredTime,
      });
  }
  for (const key of old) {
    book.read("tokens");
    book.note("key_rotated", key.name);
    id += 1;
    yield { ...key, id };
  }
}

function keyOf(
  row: SourceRow,
  id: number,
  context: ReadContext,
  accounts: Accounts,
  limits: Limits,
): TokenRecord | undefined {
  const { book, now } = context;
  const token = text(row, "token").trim();
  const name = truncateText(text(row, "key_alias") || text(row, "key_name"), 64).trim() || `key ${id}`;
  if (!hash.test(token)) {
    book.skip("tokens", "token_without_key", name);
    return undefined;
  }
  const payer = accounts.payerOf(row);
  if (payer.kind === "shared" && (text(row, "user_id") !== "" || text(row, "team_id") !== ""))
    book.attention("key_owner_gone", name);
  const { budget, ...money } = moneyOf(row, name, context, limits);
  const expires = text(row, "expires") === "" ? null : (stamp(row, "expires") ?? new Date(0));
  const { setting, isCut } = settingOf(row, payer, limits);
  const isDisabled = flag(row, "blocked") || payer.isBlocked || isCut;
  if (isCut) book.attention("token_limits_cut", name);
  noteLost(row, name, context);
  return {
    id,
    userId: payer.id,
    key: "",
    hash: token,
    name,
    status: isDisabled ? 2 : 1,
    createdTime: createdAt(row),
    accessedTime: stamp(row, "last_active"),
    expiredTime: expires,
    ...money,
    group: "",
    backupGroup: "",
    setting,
    billingTag: truncateText(tagsOf(row)[0] ?? "", 50),
    deletedAt: undefined,
    worked: !isDisabled && (expires === null || expires > now) && (money.unlimited || money.remain > 0n),
    ...(budget === undefined ? {} : { budget }),
  };
}

function moneyOf(
  row: SourceRow,
  name: string,
  { book }: ReadContext,
  { budgets }: Limits,
): { unlimited: boolean; remain: bigint; used: bigint; budget: Budget | undefined } {
  const shared = budgets.get(text(row, "budget_id")) ?? {};
  const most = dollars(row, "max_budget") ?? dollars(shared, "max_budget");
  const duration = text(row, "budget_duration") || text(shared, "budget_duration");
  const spent = dollars(row, "spend") ?? 0;
  const used = pointsOf(Math.max(0, spent, dollars(row, "total_spend") ?? 0));
  if (most === undefined) return { unlimited: true, remain: 0n, used, budget: undefined };
  const budget = budgetOf(most, duration);
  if (budget !== undefined) {
    book.note("key_budget", name);
    return { unlimited: true, remain: 0n, used, budget };
  }
  if (isUnknownPeriod(duration)) book.attention("budget_period", name);
  return { unlimited: false, remain: pointsOf(most) - pointsOf(spent), used, budget: undefined };
}

function settingOf(row: SourceRow, payer: LitellmAccount, limits: Limits) {
  const shared = limits.budgets.get(text(row, "budget_id")) ?? {};
  const models = allowedModels(textsOf(row["models"]), payer, limits);
  const rate = (column: string) => Math.max(0, whole(row, column) || whole(shared, column));
  const addresses = textsOf(record(json(row, "metadata"))["allowed_ips"]);
  const parsed = TokenSetting.safeParse({
    limits: {
      limit_model_setting: { enabled: models !== undefined, models: models ?? [] },
      limits_ip_setting: { enabled: addresses.length > 0, whitelist: addresses },
    },
    rates: {
      requests_per_minute: Math.min(1_000_000, rate("rpm_limit")),
      tokens_per_minute: Math.min(1_000_000_000, rate("tpm_limit")),
      concurrency: Math.min(100_000, rate("max_parallel_requests")),
    },
  });
  return { setting: parsed.data ?? TokenSetting.parse({}), isCut: !parsed.success };
}

/** Undefined for all models. A team's list narrows those of its keys. */
function allowedModels(own: string[], payer: LitellmAccount, limits: Limits): string[] | undefined {
  const ofPayer = expandModels(payer.models, limits);
  const usesTeams = own.length === 0 || own.includes("all-team-models");
  if (usesTeams) return ofPayer;
  const ofKey = expandModels(own, limits);
  if (ofKey === undefined || ofPayer === undefined) return ofKey ?? ofPayer;
  return ofKey.filter((model) => ofPayer.some((allowed) => covers(allowed, model)));
}

function covers(allowed: string, model: string): boolean {
  return allowed.endsWith("*") ? model.startsWith(allowed.slice(0, -1)) : allowed === model;
}

function expandModels(models: string[], { accessGroups }: Limits): string[] | undefined {
  if (models.length === 0 || models.includes("all-proxy-models") || models.includes("*")) return undefined;
  return [...new Set(models.flatMap((model) => accessGroups.get(model) ?? [model]))].filter(
    (model) => model !== "no-default-models",
  );
}

async function limitsOf(context: ReadContext): Promise<Limits> {
  const budgets = new Map<string, SourceRow>();
  if (context.source.columns.has("LiteLLM_BudgetTable"))
    for await (const row of context.source.rows({ table: "LiteLLM_BudgetTable" }))
      budgets.set(text(row, "budget_id"), row);
  const accessGroups = new Map<string, string[]>();
  for (const { name, info } of (await deploymentsOf(context)).deployments)
    for (const group of textsOf(info["access_groups"]))
      accessGroups.set(group, [...(accessGroups.get(group) ?? []), name]);
  return { budgets, accessGroups };
}

function noteLost(row: SourceRow, name: string, { book }: ReadContext): void {
  for (const column of [
    "model_max_budget",
    "aliases",
    "allowed_routes",
    "permissions",
    "policies",
    "router_settings",
    "budget_limits",
    "budget_fallbacks",
    "rotation_interval",
    "tpd_limit",
  ])
    if (!["", "{}", "[]", "null"].includes(text(row, column).trim()))
      book.attention("key_lost", `${name}: ${column}`);
  if (tagsOf(row).length > 1) book.note("key_tags", name);
}
