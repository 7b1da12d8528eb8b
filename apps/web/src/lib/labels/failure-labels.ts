/** Labels of two or three words for failed calls, for lists and sums that have no room for a sentence. */
import type { ErrorCode } from "@gateway/shared/errors";
import { phrase } from "#lib/i18n.ts";

const labels: Partial<Record<ErrorCode, string>> = {
  insufficient_quota: phrase("Balance empty"),
  token_quota_exhausted: phrase("Token quota used up"),
  spend_limit_reached: phrase("Spending limit reached"),
  budget_exceeded: phrase("Budget used up"),
  session_budget_exhausted: phrase("Budget of the session used up"),
  max_price_exceeded: phrase("Maximum price exceeded"),
  quote_not_valid: phrase("Quote not valid"),
  rate_limit_exceeded: phrase("Rate limit reached"),
  model_not_found: phrase("Model not available"),
  model_not_allowed: phrase("Model not allowed for the token"),
  group_not_allowed: phrase("Group not allowed"),
  address_not_allowed: phrase("IP address not allowed"),
  token_disabled: phrase("Token disabled"),
  token_expired: phrase("Token expired"),
  user_disabled: phrase("Account disabled"),
  price_missing: phrase("Model without a price"),
  invalid_request: phrase("Invalid request"),
  body_too_large: phrase("Request too large"),
  content_policy_violation: phrase("Content not allowed"),
  no_channel: phrase("No channel available"),
  upstream_refused: phrase("Refused by the provider"),
  upstream_rate_limited: phrase("Rate limit of the provider"),
  upstream_failed: phrase("Provider error"),
  upstream_overloaded: phrase("Provider overloaded"),
  upstream_timeout: phrase("Provider timeout"),
  answer_too_long: phrase("Response too long"),
  unavailable: phrase("Database unavailable"),
  overloaded: phrase("Gateway overloaded"),
  shutting_down: phrase("Gateway restarting"),
  account_busy: phrase("Account busy"),
  reservation_lost: phrase("Gateway interrupted"),
  internal: phrase("Internal error"),
};

/**
 * Returns the label in English, which is also its translation key.
 * @returns undefined for a code without a label
 */
export function failureLabel(code: string): string | undefined {
  return Object.hasOwn(labels, code) ? labels[code as ErrorCode] : undefined;
}
