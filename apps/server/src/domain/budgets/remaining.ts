/** What an API key may still spend: the balance, the quota of the key, and the limits per day, week and month. */
import { Budget, type BudgetPeriod } from "@gateway/shared/accounts/budget";
import { TokenSetting } from "@gateway/shared/accounts/token";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { invalidKey } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { budgetOf, usesOf } from "./budget-use.ts";

/** One limit of a key. Amounts in points. */
export interface RemainingLimit {
  /** `balance` of the account, `quota` of the key, or the spending of a period. */
  readonly kind: "balance" | "quota" | BudgetPeriod;
  readonly scope: "account" | "key";
  readonly used: number;
  readonly limit: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Seconds since 1970; undefined for a limit without a period. */
  readonly resetsAt?: number;
}

interface Owner {
  readonly tokenId: number;
  readonly userId: number;
}

/**
 * Returns the limits of a key, the one with the least left first. Charges up to now are included, reservations of running
 * calls are not. Throws `invalid_api_key`.
 */
export async function readRemaining(
  db: Db,
  { tokenId, userId }: Owner,
  timeZone: string,
): Promise<[RemainingLimit, ...RemainingLimit[]]> {
  await bookCharges(db, userId);
  const [user, token] = await Promise.all([
    db.user.findUnique({ where: { id: userId } }),
    db.token.findUnique({ where: { id: tokenId } }),
  ]);
  if (user === null || token === null) throw invalidKey();
  const group = await db.userGroup.findUnique({ where: { symbol: user.group }, select: { budget: true } });
  const balance = limitOf(
    "balance",
    "account",
    Number(user.used_quota),
    Number(user.used_quota + user.quota),
  );
  const used = Number(token.used_quota);
  const { rates } = TokenSetting.parse(token.setting);
  const own = ownBudget(budgetOf(token.budget), rates);
  const limits: [RemainingLimit, ...RemainingLimit[]] = [
    balance,
    ...(token.unlimited_quota ? [] : [limitOf("quota", "key", used, used + Number(token.remain_quota))]),
    ...periodsOf("account", usesOf(budgetOf(user.budget ?? group?.budget ?? null), user, timeZone)),
    ...periodsOf("key", usesOf(own, token, timeZone)),
  ];
  return limits.sort((one, other) => one.remaining - other.remaining);
}

function periodsOf(scope: RemainingLimit["scope"], uses: ReturnType<typeof usesOf>): RemainingLimit[] {
  return uses
    .filter(({ limit }) => limit > 0)
    .map(({ period, used, limit, resets_at: resetsAt }) => ({
      ...limitOf(period, scope, used, limit),
      resetsAt,
    }));
}

function limitOf(
  kind: RemainingLimit["kind"],
  scope: RemainingLimit["scope"],
  used: number,
  limit: number,
): RemainingLimit {
  return { kind, scope, used, limit, remaining: Math.max(0, limit - used) };
}

/** Of the owner's limit of a key and the operator's, the smaller one applies. 0 is no limit. */
function ownBudget(
  budget: Budget | undefined,
  { daily_spend: daily, monthly_spend: monthly }: TokenSetting["rates"],
): Budget {
  const given = budget ?? Budget.parse({});
  return {
    ...given,
    daily_spend: smaller(given.daily_spend, daily),
    monthly_spend: smaller(given.monthly_spend, monthly),
  };
}

function smaller(one: number, other: number): number {
  if (one === 0 || other === 0) return Math.max(one, other);
  return Math.min(one, other);
}
