import type { Wire } from "#dialects/dialect.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import type { GatewayServices } from "./services.ts";

/** What only providers that speak Responses can do: compact a conversation, or answer in the background. */

/** Throws `invalid_request` for what a background response cannot be besides. */
export function wantsBackground(body: Wire): boolean {
  if (body["background"] !== true) return false;
  if (body["stream"] === true)
    throw invalidRequest(
      'A background response cannot be streamed here: leave out "stream" and ask for the response by its id.',
      "stream",
    );
  if (body["conversation"] !== undefined && body["conversation"] !== null)
    throw invalidRequest(
      'A background response cannot be part of a conversation here: use "previous_response_id".',
      "conversation",
    );
  return true;
}

/** The model is there, but none of its providers can do this: then that is said in the error's place. */
export function orCannot(
  { relay }: Pick<GatewayServices, "relay">,
  error: unknown,
  wanted: { group: string; model: string; to: string },
): unknown {
  const { group, model, to } = wanted;
  const isKnown =
    error instanceof GatewayError &&
    error.code === "model_not_found" &&
    relay.candidates.find(group, model).length > 0;
  return isKnown ? invalidRequest(`No provider of the model "${model}" can ${to}.`, "model") : error;
}
