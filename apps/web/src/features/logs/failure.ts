/** Why a call failed, in a few words for the list and in a sentence for its page. Pure. */
import { type LogRow, LogType } from "@gateway/shared/usage/log";
import type { TFunction } from "i18next";
import { phrase } from "#lib/i18n.ts";
import { attemptResultText } from "./log-labels.ts";

const shortReasons: Record<string, string> = {
  insufficient_quota: phrase("Balance empty"),
  token_quota_exhausted: phrase("Token quota used up"),
  spend_limit_reached: phrase("Spending limit reached"),
  model_not_found: phrase("Unknown model"),
  model_not_allowed: phrase("Model not allowed for this token"),
  address_not_allowed: phrase("Address not allowed"),
  group_not_allowed: phrase("Group not allowed"),
  rate_limited: phrase("Rate limit reached"),
  upstream_rate_limited: phrase("Provider's rate limit reached"),
  upstream_refused: phrase("Refused by the provider"),
  upstream_failed: phrase("Provider error"),
  upstream_empty: phrase("Empty answer from the provider"),
  upstream_overloaded: phrase("Provider overloaded"),
  upstream_timeout: phrase("Provider timeout"),
  answer_too_long: phrase("Answer longer than allowed"),
  no_channel: phrase("No channel available"),
  price_missing: phrase("Model without a price"),
  invalid_request: phrase("Invalid request"),
  body_too_large: phrase("Request too large"),
  content_policy_violation: phrase("Forbidden words in the request"),
  unsupported_endpoint: phrase("Unsupported endpoint"),
  token_disabled: phrase("Token disabled"),
  token_expired: phrase("Token expired"),
  user_disabled: phrase("Account disabled"),
  shutting_down: phrase("Gateway restarting"),
  unavailable: phrase("Database not available"),
  overloaded: phrase("Gateway overloaded"),
  account_busy: phrase("Account locked"),
  reservation_lost: phrase("Gateway interrupted"),
  internal: phrase("Gateway error"),
};

/** English; translate where shown. An unknown code is shown as it is. */
export function shortReason(code: string): string {
  return shortReasons[code] ?? code;
}

export function hasFailed(row: Pick<LogRow, "type">): boolean {
  return row.type === LogType.failed;
}

/** The model a call named; calls for a model that does not exist keep it only in their message. */
export function requestedModel(row: LogRow): string {
  if (row.model_name !== "" || row.error_code !== "model_not_found") return row.model_name;
  return /"([^"]{1,160})"/.exec(row.content)?.[1] ?? "";
}

/**
 * Why no channel was called, from the pauses that its log row names; "" where that was not the reason.
 *
 * @param timeOf a time of day, from seconds since 1970
 */
export function pauseSentence(t: TFunction, row: LogRow, timeOf: (seconds: number) => string): string {
  const { paused, skipped, attempts } = row;
  if (!hasFailed(row) || !paused || paused.length === 0 || attempts?.length !== 0) return "";
  // Channels that were passed over for another reason would make "all" untrue.
  if (skipped?.some((note) => note.skipped !== "paused")) return "";
  const first = paused.reduce((a, b) => (b.paused_until < a.paused_until ? b : a));
  return t("All channels for this model are paused until {{time}} ({{reason}}).", {
    time: timeOf(first.paused_until),
    reason: t(attemptResultText(first.reason)),
  });
}
