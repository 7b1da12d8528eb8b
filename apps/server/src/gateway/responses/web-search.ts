import { longestSearchDomain, mostSearchDomains } from "@gateway/shared/models/web-search";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { parseAt } from "#dialects/wire.ts";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { hasWebSearch } from "#domain/web-search/web-search.ts";
import { invalidRequest, notFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { resultText } from "#relay/search/search-offer.ts";
import { relaySearches, searchesEstimate } from "#relay/search/standalone-search.ts";

/**
 * The web search of Codex, which its model calls as a tool of the client. Only searches are served: the gateway opens no
 * pages. https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/search.rs, read 2026-11-28.
 */
const PATH = "/v1/alpha/search";

const domains = listOf(z.string().max(longestSearchDomain), { most: mostSearchDomains }).nullish();
const query = z.looseObject({ q: z.string().min(1), domains });
const searchRequest = z.looseObject({
  model: z.string().min(1).max(160),
  commands: z.looseObject({ search_query: listOf(query).nullish() }).nullish(),
  settings: z
    .looseObject({
      filters: z.looseObject({ allowed_domains: domains, blocked_domains: domains }).nullish(),
    })
    .nullish(),
});

/** Parameters of the commands that are no commands themselves. */
const parameters = new Set(["search_query", "response_length"]);

export function webSearchRoutes(app: FastifyInstance, services: GatewayServices): void {
  app.post(PATH, async (request, reply) => {
    const settings = services.relay.settings.current();
    if (!hasWebSearch(settings)) throw notFound({ reason: "route_not_served", method: "POST", path: PATH });
    const { commands, settings: own, model } = parseAt(searchRequest, jsonBody(request).body, "");
    const { WebSearchMaxUses: most, WebSearchResults: count } = settings;
    const requested = commands?.search_query ?? [];
    if (requested.length > most)
      throw invalidRequest({ reason: "too_many_searches", most }, { param: "commands.search_query" });
    const queries = requested.map(({ q: text, domains: only }) => ({
      text,
      count,
      allowedDomains: only ?? own?.filters?.allowed_domains ?? [],
      blockedDomains: own?.filters?.blocked_domains ?? [],
    }));
    const { headers, call } = await admit(services, {
      ...accessOf(request),
      endpoint: PATH,
      needs: "chat" as const,
      model: resolveModel(services.relay.settings, model),
      stream: false,
      tools: false,
      estimate: searchesEstimate(queries.length),
      // A price per call is for calls of the model.
      calls: 0,
    });
    const outcomes = await relaySearches(services.relay, call, queries);
    const results = outcomes.map((outcome, index) => {
      const result = "failure" in outcome ? { error: outcome.failure } : outcome;
      return `Results for "${queries[index]?.text ?? ""}":\n\n${resultText(result)}`;
    });
    const others = Object.keys(commands ?? {}).filter((name) => !parameters.has(name));
    const notes = others.map((name) => `The command "${name}" is not supported. Only "search_query" is.`);
    return reply
      .headers(headers)
      .send({ encrypted_output: null, output: [...results, ...notes].join("\n\n") });
  });
}
