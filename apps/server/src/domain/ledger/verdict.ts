import { formatQuota } from "@gateway/shared/billing/money";
import { conflict, GatewayError, insufficientQuota, invalidKey, tokenQuotaExhausted } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";

/** What a turn of the ledger says to one step, and the error that the caller of a refused one gets. */
export interface Judgement {
  verdict:
    | ("settled" | "gone" | "given" | "marked")
    | ("granted" | "again" | "taken" | "balance" | "token" | "day" | "month" | "calls" | "user" | "key");
  /** The limit that a refusal speaks of: points, or calls. Of `balance` and `token`: what leases have of it. */
  most?: bigint | null;
}

export function refusalOf({ verdict, most }: Judgement): GatewayError | undefined {
  switch (verdict) {
    case "granted":
    case "settled":
    case "gone":
    case "given":
    case "marked":
      return undefined;
    case "balance":
      return insufficientQuota();
    case "token":
      return tokenQuotaExhausted();
    case "day":
    case "month":
      return spendLimitReached(verdict, most ?? 0n, currentTime());
    case "calls":
      return tooManyAtOnce(most ?? 0n);
    case "user":
      return new GatewayError("user_disabled");
    case "key":
      return invalidKey();
    case "taken":
    case "again":
      return requestIdTaken();
    default:
      return verdict satisfies never;
  }
}

export function requestIdTaken(): GatewayError {
  return conflict({ reason: "request_id_taken" });
}

function spendLimitReached(period: "day" | "month", most: bigint, now: Date): GatewayError {
  const next =
    period === "day"
      ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
      : Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const limit = formatQuota(Number(most), { inCurrency: true, digits: most < 5_000n ? 6 : 2 });
  return new GatewayError(
    "spend_limit_reached",
    { reason: period === "day" ? "daily_spend_limit" : "monthly_spend_limit", limit },
    { retryAfter: Math.max(1, Math.ceil((next - now.getTime()) / 1_000)) },
  );
}

function tooManyAtOnce(most: bigint): GatewayError {
  const details = { retryAfter: 1 };
  return most === 1n
    ? new GatewayError("rate_limit_exceeded", { reason: "one_call_at_once" }, details)
    : new GatewayError("rate_limit_exceeded", { reason: "calls_at_once", calls: Number(most) }, details);
}
