import type { Settings } from "@gateway/shared/site/settings";
import type { UpstreamError } from "#dialects/ir.ts";
import { GatewayError } from "#errors.ts";
import { answerTooLong } from "./excess.ts";

/**
 * Whether to try another channel. Decides by the kind of error, never by the provider's text. A client error
 * fails everywhere. A response that exceeded a limit of the gateway was already paid for at its provider; a
 * retry would only cost the same again.
 * @param attempts number of attempts so far
 * @param elapsedMs milliseconds since the call began
 */
export function mayRetry(
  { RetryTimes, RetryTimeOut }: Pick<Settings, "RetryTimes" | "RetryTimeOut">,
  error: UpstreamError,
  attempts: number,
  elapsedMs: number,
): boolean {
  if (error.kind === "bad-request" || error.tooLong === true) return false;
  return attempts <= RetryTimes && elapsedMs < RetryTimeOut * 1_000;
}

/** Returns the last failure for the caller. Only messages about the caller's own request are passed on. */
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
    case "key-unavailable":
      return new GatewayError("upstream_failed", { reason: "provider_key_unavailable" });
    case "auth":
    case "quota":
    case "server":
    case "network":
      if (error.tooLong === true) return answerTooLong("answer_too_long_free");
      return new GatewayError("upstream_failed", { reason: "upstream_no_answer" });
  }
}
