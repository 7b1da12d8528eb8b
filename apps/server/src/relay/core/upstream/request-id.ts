import type { UpstreamResponse } from "#platform/http/http.ts";

/** A request id is short. Anything longer is not one, and must not fill the log. */
const MAX_LENGTH = 200;

/**
 * Returns the id that a provider gave a request, for its support desk and for a comparison with its log;
 * undefined without one. Gateways forward the headers of the provider behind them, so their own id comes
 * first: One API, New API and One Hub, then LiteLLM, then OpenAI and Anthropic.
 */
export function requestIdIn(headers: UpstreamResponse["headers"]): string | undefined {
  const id =
    headers["x-oneapi-request-id"] ??
    headers["x-litellm-call-id"] ??
    headers["x-request-id"] ??
    headers["request-id"];
  const first = typeof id === "string" ? id : id?.[0];
  return first === undefined || first === "" || first.length > MAX_LENGTH ? undefined : first;
}
