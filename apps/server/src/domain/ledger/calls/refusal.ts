import { formatQuota } from "@gateway/shared/billing/money";
import type { DerivedKeyShare } from "#domain/ledger/batches/operations.ts";
import {
  conflict,
  GatewayError,
  insufficientQuota,
  invalidKey,
  ownerDisabled,
  tokenQuotaExhausted,
} from "#errors.ts";
import { currentTime } from "#platform/clock.ts";

/**
 * Result of one step of a ledger batch. `refusalOf` turns a refusal into the error that the caller receives.
 */
export interface Decision {
  verdict:
    | ("settled" | "gone" | "returned" | "checkpointed")
    | ("granted" | "again" | "taken" | "balance" | "token" | SpendLimit)
    | ("session" | "session_busy" | "calls" | "user" | "key")
    | ("derived" | "derived_busy" | "derived_many" | "derived_revoked");
  /**
   * The limit that caused the refusal, in points or calls. For `balance` and `token`: the points in leases.
   */
  most?: bigint | null;
  /** End of the period of the limit that was reached. */
  until?: Date | null;
}

/** The errors of the limits per period in write-batch.sql. */
const spendLimits = {
  account_day: { code: "budget_exceeded", reason: "daily_budget" },
  account_week: { code: "budget_exceeded", reason: "weekly_budget" },
  account_month: { code: "budget_exceeded", reason: "monthly_budget" },
  own_month: { code: "budget_exceeded", reason: "own_monthly_budget" },
  day: { code: "spend_limit_reached", reason: "daily_spend_limit" },
  week: { code: "spend_limit_reached", reason: "weekly_spend_limit" },
  month: { code: "spend_limit_reached", reason: "monthly_spend_limit" },
} as const;

type SpendLimit = keyof typeof spendLimits;

interface RefusedCall {
  /** The site's rate, for amounts in the message. */
  pointsPerUsd: number;
  derivedKeys?: readonly DerivedKeyShare[] | undefined;
}

/** Returns whether a call may be granted when others of its session or derived key have ended. */
export function waitsForOthers({ verdict }: Decision): boolean {
  return verdict === "session_busy" || verdict === "derived_busy";
}

export function refusalOf(
  { verdict, most, until }: Decision,
  { pointsPerUsd, derivedKeys = [] }: RefusedCall,
): GatewayError | undefined {
  switch (verdict) {
    case "granted":
    case "settled":
    case "gone":
    case "returned":
    case "checkpointed":
      return undefined;
    case "balance":
      return insufficientQuota();
    case "token":
      return tokenQuotaExhausted();
    case "session":
      return new GatewayError("session_budget_exhausted", {
        reason: "session_budget_spent",
        limit: amountOf(most, pointsPerUsd),
      });
    case "session_busy":
      return new GatewayError(
        "rate_limit_exceeded",
        { reason: "session_budget_reserved", limit: amountOf(most, pointsPerUsd) },
        { retryAfter: busyRetrySeconds },
      );
    case "derived":
      return new GatewayError("spend_limit_reached", {
        reason: "derived_key_spent",
        ...derivedLimit(derivedKeys, most, pointsPerUsd),
      });
    case "derived_busy":
      return new GatewayError(
        "rate_limit_exceeded",
        { reason: "derived_key_reserved", ...derivedLimit(derivedKeys, most, pointsPerUsd) },
        { retryAfter: busyRetrySeconds },
      );
    case "derived_many":
      return conflict({ reason: "too_many_derived_keys", ...mostDerivedKeys });
    case "derived_revoked":
      return new GatewayError("invalid_api_key", { reason: "derived_key_revoked" });
    case "calls":
      return tooManyAtOnce(most ?? 0n);
    case "user":
      return ownerDisabled();
    case "key":
      return invalidKey();
    case "taken":
    case "again":
      return requestIdTaken();
    default:
      return limitReached(verdict, most, { until, pointsPerUsd });
  }
}

export function requestIdTaken(): GatewayError {
  return conflict({ reason: "request_id_taken" });
}

const unknownEndMs = 60_000;
/** When to repeat a call that waits for others of its session, in seconds. */
const busyRetrySeconds = 5;
/**
 * Derived keys that have rows: of a token, and with the same first derived key, so that one agent cannot use up the keys
 * of all others. The same as in write-batch.sql.
 */
const mostDerivedKeys = { most: 10_000, most_of_one: 2_000 };

/** Names the derived key whose limit was reached: its label, or the beginning of its ID. */
function derivedLimit(
  keys: readonly DerivedKeyShare[],
  most: bigint | null | undefined,
  pointsPerUsd: number,
): { limit: string; label: string } {
  const { label = "", id = "" } = keys.find(({ limit }) => limit === most) ?? {};
  return { limit: amountOf(most, pointsPerUsd), label: label === "" ? id.slice(0, 8) : label };
}

function limitReached(
  verdict: SpendLimit,
  most: bigint | null = 0n,
  { until, pointsPerUsd }: { until?: Date | null | undefined; pointsPerUsd: number },
): GatewayError {
  const now = currentTime().getTime();
  const end = until ?? new Date(now + unknownEndMs);
  const limit = amountOf(most, pointsPerUsd);
  const resets = `${end.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const retryAfter = Math.max(1, Math.ceil((end.getTime() - now) / 1_000));
  const { code, reason } = spendLimits[verdict];
  return new GatewayError(code, { reason, limit, resets }, { retryAfter });
}

function amountOf(most: bigint | null | undefined, pointsPerUsd: number): string {
  const points = Number(most ?? 0n);
  const digits = points / pointsPerUsd < 0.01 ? 6 : 2;
  return formatQuota(points, { inCurrency: true, digits, pointsPerUsd });
}

function tooManyAtOnce(most: bigint): GatewayError {
  const details = { retryAfter: 1 };
  return most === 1n
    ? new GatewayError("rate_limit_exceeded", { reason: "one_call_at_once" }, details)
    : new GatewayError("rate_limit_exceeded", { reason: "calls_at_once", calls: Number(most) }, details);
}
