/**
 * Web searches that a client requests without a model. They are charged like those within a call: at the
 * terms of the model that the client names, reserved before, and only where they returned a result.
 */
import { gatewaySearch } from "#dialects/tools/search-forms.ts";
import type { SearchQuery } from "#domain/web-search/engine.ts";
import type { SearchOutcome } from "#domain/web-search/web-search.ts";
import { modelNotFound } from "#errors.ts";
import type { PlannedCall, PricingTerms, ReceivedCall } from "#relay/core/call.ts";
import { serveByGateway } from "#relay/core/gateway-service.ts";
import { planCall } from "#relay/core/routing/plan.ts";
import { priceOptionsOf } from "#relay/core/routing/price-options.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** The most that a number of searches can use. */
export function searchesEstimate(searches: number): ReceivedCall["estimate"] {
  return { input: 0, output: 0, toolCalls: { [gatewaySearch]: searches } };
}

/** Runs the searches of a call. Returns their outcomes in the same order. Throws the errors that refuse any call. */
export function relaySearches(
  services: RelayServices,
  received: ReceivedCall,
  queries: readonly SearchQuery[],
): Promise<SearchOutcome[]> {
  const { userId } = received.caller;
  return serveByGateway(services, received, {
    plan() {
      const planned = planCall(services, received);
      return { planned, terms: termsOf(planned) };
    },
    // Awaited for a client that leaves, too: each has a time limit, and the search service is paid for it.
    async run(signal) {
      const answer = await Promise.all(
        queries.map((query) => services.webSearch.search(userId, query, signal)),
      );
      // A search that is cut off does not reject. The search service is paid for it.
      signal.throwIfAborted();
      const found = answer.filter((outcome) => "pages" in outcome).length;
      return { answer, used: searchesEstimate(found) };
    },
  });
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
