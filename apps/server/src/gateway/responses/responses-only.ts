import type { Wire } from "#dialects/dialect.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";

/**
 * Whether a body requests a background response, which only providers that speak Responses support. Throws
 * `invalid_request` for fields that cannot be combined with it.
 */
export function wantsBackground(body: Wire): boolean {
  if (body["background"] !== true) return false;
  if (body["stream"] === true)
    throw invalidRequest({ reason: "background_not_streamed" }, { param: "stream" });
  if (body["conversation"] !== undefined && body["conversation"] !== null)
    throw invalidRequest({ reason: "background_in_conversation" }, { param: "conversation" });
  return true;
}

/**
 * Returns an error that names the missing feature, if the model exists but none of its providers supports the
 * feature.
 */
export function explainMissingFeature(
  { relay }: Pick<GatewayServices, "relay">,
  error: unknown,
  requested: { group: string; model: string; reason: "model_cannot_background" | "model_cannot_cache" },
): unknown {
  const { group, model, reason } = requested;
  const isKnown =
    error instanceof GatewayError &&
    error.code === "model_not_found" &&
    relay.candidates.find(group, model).length > 0;
  return isKnown ? invalidRequest({ reason, model }, { param: "model" }) : error;
}
