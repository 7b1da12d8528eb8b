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
export async function relayWithCache<Sent extends EncodedRequest>(
  services: RelayServices,
  call: ReceivedCall,
  exchange: Exchange<Answer, Sent>,
  check?: () => void,
): Promise<Answer> {
  const memory = openResponseCache(services, call, call.raw);
  if (memory !== undefined) call.billed = memory.billed;
  const keeper = openKeeper(services, call, call.raw);
  try {
    check?.();
    const known = await memory?.answer();
    if (known !== undefined) return keeper.answered(known);
    const answer = await relay<Answer, Sent>(services, call, {
      ...exchange,
      encode(target) {
        const sent = exchange.encode(target);
        keeper.through(target.channel);
        return sent;
      },
    });
    return keeper.answered(memory?.keep(answer) ?? answer);
  } catch (error) {
    keeper.failed();
    throw error;
  }
}
