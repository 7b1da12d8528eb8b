import { dialects } from "#dialects/index.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { chooseKey } from "#domain/channels/selection/active-channel.ts";
import type { StoredResponse } from "#domain/responses/stored.ts";
import { type GatewayError, notFound } from "#errors.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { relayFree } from "#relay/core/exchange.ts";
import { wholeText } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { scrubErrorBody } from "#relay/core/upstream/scrub.ts";
import { closeBefore, endBefore } from "./background.ts";

/** A call about a response that its provider stores: read, cancel, delete, or list its input. Free. */
export interface StoredResponseCall extends ReceivedCall {
  readonly stored: StoredResponse;
  readonly method: "GET" | "POST" | "DELETE";
  /** Path after the id. */
  readonly below: "" | "/cancel" | "/input_items";
  /** Query string, including the `?`. */
  readonly query: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
const { decodeError } = dialects["openai-responses"];

/**
 * Sends the call to the channel and key that created the response. Throws `not_found` when channel or
 * response is gone.
 */
export function relayStoredResponse(
  services: RelayServices,
  call: StoredResponseCall,
): Promise<{ body: string }> {
  const { stored, method, below, query } = call;
  const response = { id: stored.id, userId: call.caller.userId };
  return relayFree<{ body: string }, StoredResponseCall>(services, call, {
    target() {
      const channel = services.candidates.byId(stored.channelId);
      if (channel === undefined) throw notFound({ reason: "response_channel_gone" });
      return { channel, key: chooseKey(channel, services.random(), { pinned: stored.keyId ?? undefined }) };
    },
    async prepare() {
      if (method === "DELETE") await endBefore(services, response);
      return undefined;
    },
    encode: () => ({
      request: {
        method,
        path: `/v1/responses/${encodeURIComponent(stored.id)}${below}${query}`,
        dialect: "openai-responses",
        headers: { accept: "application/json" },
        body: null,
      },
      decodeError,
    }),
    async read(received, routed) {
      const text = await wholeText(received, MAX_BYTES, call.memory);
      if (method !== "DELETE" && below !== "/input_items") await closeBefore(services, response, text);
      return { body: scrubErrorBody(withoutNegativeCounts(text), routed.target) };
    },
    otherwise(last) {
      // The missing object is the response, because no model was requested.
      if (last?.kind === "not-found") throw responseNotFound(stored.id);
      return undefined;
    },
  });
}

export function responseNotFound(id: string): GatewayError {
  return notFound({ reason: "response_not_found", id });
}
