import type { Answer, ReceivedCall } from "#relay/core/call.ts";
import { type Exchange, relay } from "#relay/core/exchange.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { EncodedRequest } from "#relay/core/upstream/ask.ts";
import { openKeeper } from "./keep-bodies.ts";
import { openResponseCache } from "./response-cache.ts";

/**
 * Relays a call whose bodies may be logged and whose response may be cached.
 * @param check throws for a call that must be rejected before any lookup or reservation
 */
export async function relayWithCache<Sent extends EncodedRequest, Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
  exchange: Exchange<Answer, Sent, Received>,
  check?: () => void,
): Promise<Answer> {
  const cache = openResponseCache(services, received, received.raw);
  const keeper = openKeeper(services, received, received.raw);
  const call = cache === undefined ? received : { ...received, billed: cache.billed };
  try {
    check?.();
    const known = await cache?.answer();
    if (known !== undefined) return keeper.answered(known);
    const answer = await relay<Answer, Sent, Received>(services, call, {
      ...exchange,
      encode(routed) {
        const sent = exchange.encode(routed);
        keeper.through(routed.target.channel);
        return sent;
      },
    });
    return keeper.answered(cache?.keep(answer) ?? answer);
  } catch (error) {
    keeper.failed();
    throw error;
  }
}
