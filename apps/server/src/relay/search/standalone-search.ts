/**
 * Web searches that a client requests without a model. They are charged like those within a call: at the
 * terms of the model that the client names, reserved before, and only where they returned a result.
 */
import { gatewaySearch } from "#dialects/tools/search-forms.ts";
import type { SearchQuery } from "#domain/web-search/engine.ts";
import type { SearchOutcome } from "#domain/web-search/web-search.ts";
import { modelNotFound } from "#errors.ts";
import { abortSignalOf } from "#platform/http/cancellation.ts";
import { CallBill } from "#relay/core/billing/call-bill.ts";
import type { CachedCall, PlannedCall, PricingTerms, ReceivedCall } from "#relay/core/call.ts";
import { planCall } from "#relay/core/routing/plan.ts";
import { priceOptionsOf } from "#relay/core/routing/price-options.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** The most that a number of searches can use. */
export function searchesEstimate(searches: number): ReceivedCall["estimate"] {
  return { input: 0, output: 0, toolCalls: { [gatewaySearch]: searches } };
}

/** Runs the searches of a call. Returns their outcomes in the same order. Throws the errors that refuse any call. */
export async function relaySearches(
  services: RelayServices,
  received: ReceivedCall,
  queries: readonly SearchQuery[],
): Promise<SearchOutcome[]> {
  const bill = new CallBill(services, received);
  try {
    const busy = services.drains.refusal(received.caller.userId);
    if (busy !== undefined) throw busy;
    const planned = planCall(services, received);
    const served: CachedCall = { planned, terms: termsOf(planned), byGateway: true };
    bill.serveCached(served);
    const { connection } = bill;
    // Watch before reserving, so that a change in between is noticed by the watch or by the reservation.
    connection.open();
    await bill.reserve(planned);
    const goneBefore = connection.gone();
    if (goneBefore !== undefined) throw goneBefore;
    connection.sent();
    const { userId } = received.caller;
    const signal = abortSignalOf(connection.signal);
    const outcomes = await Promise.all(
      queries.map((query) => services.webSearch.search(userId, query, signal)),
    );
    connection.answered(200, {});
    bill.attempts.receiveByte();
    const found = outcomes.filter((outcome) => "pages" in outcome).length;
    const { isCancelled, isInterrupted } = connection;
    const gone = isCancelled ? connection.gone() : undefined;
    await bill.settle({
      routed: served,
      outcome: gone === undefined ? "complete" : "client-left",
      // The search service is paid for a search that its client cuts off.
      reported: searchesEstimate(isCancelled && !isInterrupted ? queries.length : found),
      final: true,
      delivered: { narrow: 0, wide: 0 },
    });
    if (gone !== undefined) throw gone;
    return outcomes;
  } catch (error) {
    await bill.fail(error);
    throw error;
  }
}

/** Returns the terms of the first price of the model. No channel serves the searches. */
function termsOf({ plan, model }: PlannedCall): PricingTerms {
  for (const { group, backup, ratio, channels } of plan.routeGroups)
    for (const { billed } of priceOptionsOf(channels, model)) {
      const price = plan.prices.get(billed);
      if (price !== undefined)
        return { group, backup, groupRatio: ratio, upstreamModel: "", billedModel: billed, price };
    }
  throw modelNotFound(model);
}
