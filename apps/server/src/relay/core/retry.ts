import type { UpstreamError } from "#dialects/ir.ts";
import { GatewayError } from "#errors.ts";
import { answerTooLong } from "./excess.ts";

/** What a failure means for the call. Pure: decides on the kind of error, never on a provider's prose. */

/**
 * Whether another channel may do better. A caller's own mistake is the same mistake everywhere, and an answer that passed
 * a limit of the gateway was made and paid for at its provider: asking again would only pay for another one.
 */
export function worthRetrying(error: UpstreamError): boolean {
  return error.kind !== "bad-request" && error.tooLong !== true;
}

export interface RetryBudget {
  /** Further attempts after the first. */
  times: number;
  /** Milliseconds since the request began after which no attempt is started. */
  withinMs: number;
}

export function mayRetry(
  error: UpstreamError,
  attempts: number,
  elapsedMs: number,
  budget: RetryBudget,
): boolean {
  return worthRetrying(error) && attempts <= budget.times && elapsedMs < budget.withinMs;
}

/** The last failure as the caller hears it. A provider's sentence is passed on only about the caller's own request. */
export function explain(error: UpstreamError, model: string): GatewayError {
  switch (error.kind) {
    case "bad-request":
      return new GatewayError(
        "upstream_refused",
        { reason: "provider_message", message: error.message },
        {
          status: error.status >= 400 && error.status < 500 ? error.status : 400,
          param: error.param,
          original: error.original,
        },
      );
    case "not-found":
      return new GatewayError(
        "model_not_found",
        { reason: "model_unknown_to_provider", model },
        {
          param: "model",
        },
      );
    case "rate-limited":
      return new GatewayError(
        "upstream_rate_limited",
        { reason: "provider_busy" },
        {
          retryAfter: error.retryAfter,
        },
      );
    case "overloaded":
      return new GatewayError(
        "upstream_overloaded",
        {},
        {
          retryAfter: error.retryAfter,
        },
      );
    case "timeout":
      return new GatewayError("upstream_timeout");
    case "auth":
    case "quota":
    case "server":
    case "network":
      if (error.tooLong === true) return answerTooLong("answer_too_long_free");
      return new GatewayError("upstream_failed", { reason: "upstream_no_answer" });
  }
}
