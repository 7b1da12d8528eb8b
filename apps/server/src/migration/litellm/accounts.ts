import type { Budget } from "@gateway/shared/accounts/budget";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { ReadContext } from "#migration/products/product.ts";
import { flag, json, record, stamp, text } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";
import { dollars, pointsOf } from "./dollars.ts";

/**
 * LiteLLM's users and teams have texts as ids, and budgets instead of balances. Here each of them is an account: a team is one that
 * owns the keys of the team.
 */
export interface LitellmAccount {
  id: number;
  /** `user:<user_id>`, `team:<team_id>`, or one of this importer. */
  key: string;
  row: SourceRow;
  kind: "user" | "team" | "shared" | "root";
  /** Points. */
  balance: bigint;
  used: bigint;
  budget: Budget | undefined;
  models: string[];
  isBlocked: boolean;
}

export interface Accounts {
  all: LitellmAccount[];
  /** The account that pays for a key. */
  payerOf(row: SourceRow): LitellmAccount;
  find(key: string): LitellmAccount | undefined;
}

const made = new WeakMap<ReadContext["source"], Promise<Accounts>>();

/** The accounts of a source, with the ids they get; read once per import. */
export function accountsOf(context: ReadContext): Promise<Accounts> {
  const known = made.get(context.source);
  if (known !== undefined) return known;
  const reading = readAccounts(context);
  made.set(context.source, reading);
  return reading;
}

async function readAccounts(context: ReadContext): Promise<Accounts> {
  const { source } = context;
  const users: SourceRow[] = [];
  const teams: SourceRow[] = [];
  for await (const row of source.rows({ table: "LiteLLM_UserTable", orderBy: "user_id" })) users.push(row);
  for await (const row of source.rows({ table: "LiteLLM_TeamTable", orderBy: "team_id" })) teams.push(row);
  const all: LitellmAccount[] = [];
  const rootRow = users.find((row) => text(row, "user_role") === "proxy_admin");
  const credit = context.creditPoints ?? 0n;
  const add = (kind: LitellmAccount["kind"], key: string, row: SourceRow) =>
    void all.push({
      id: all.length + 1,
      key,
      row,
      kind,
      ...moneyOf(row, credit),
      models: textsOf(row["models"]),
      isBlocked: kind === "team" && flag(row, "blocked"),
    });
  // LiteLLM's administrator is its master key, which is no account: one is made.
  if (rootRow === undefined) add("root", "made:root", {});
  else add("user", `user:${text(rootRow, "user_id")}`, rootRow);
  for (const row of users) if (row !== rootRow) add("user", `user:${text(row, "user_id")}`, row);
  for (const row of teams) add("team", `team:${text(row, "team_id")}`, row);
  add("shared", "made:shared", {});
  const byKey = new Map(all.map((account) => [account.key, account]));
  const shared = all.at(-1);
  if (shared === undefined) throw new Error("There is always an account for keys without an owner.");
  return {
    all,
    find: (key) => byKey.get(key),
    payerOf: (row) =>
      byKey.get(`team:${text(row, "team_id")}`) ?? byKey.get(`user:${text(row, "user_id")}`) ?? shared,
  };
}

/**
 * A budget for good is a balance: what is left of it. One that begins again each day, week or month is a budget here, and the balance
 * is the credit that the operator gives, as for accounts without a budget.
 */
function moneyOf(row: SourceRow, credit: bigint): Pick<LitellmAccount, "balance" | "used" | "budget"> {
  const most = dollars(row, "max_budget");
  const spent = dollars(row, "spend") ?? 0;
  const used = pointsOf(Math.max(0, spent));
  if (most === undefined) return { balance: credit, used, budget: undefined };
  const budget = budgetOf(most, text(row, "budget_duration"));
  if (budget !== undefined) return { balance: credit, used, budget };
  return { balance: pointsOf(most) - pointsOf(spent), used, budget: undefined };
}

const none: Budget = {
  daily_spend: 0,
  daily_notify: 0,
  weekly_spend: 0,
  weekly_notify: 0,
  monthly_spend: 0,
  monthly_notify: 0,
  session_spend: 0,
};

const periods = lookupTable<keyof Budget>({
  "24h": "daily_spend",
  "1d": "daily_spend",
  "7d": "weekly_spend",
  "168h": "weekly_spend",
  "1w": "weekly_spend",
  "30d": "monthly_spend",
  "31d": "monthly_spend",
  "1mo": "monthly_spend",
});

/** Undefined for a period that has no counterpart: the budget then counts for good, which never allows more. */
export function budgetOf(most: number, duration: string): Budget | undefined {
  const field = periods[duration.trim()];
  // 0 would be no limit.
  const points = Math.max(1, Number(pointsOf(most)));
  return field === undefined ? undefined : { ...none, [field]: points };
}

export function isUnknownPeriod(duration: string): boolean {
  return duration.trim() !== "" && periods[duration.trim()] === undefined;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string" && each !== "") : [];
}

export function createdAt(row: SourceRow): Date | undefined {
  return stamp(row, "created_at");
}

/** First of `metadata.tags`. */
export function tagsOf(row: SourceRow): string[] {
  return textsOf(record(json(row, "metadata"))["tags"]);
}
