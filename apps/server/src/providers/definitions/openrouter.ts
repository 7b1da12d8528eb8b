import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { searchesOnResponses } from "#providers/models/searches-on-responses.ts";
import { bearerOrAnthropic, type RequestShape, type Provider } from "#providers/provider.ts";

const Route = z.looseObject({
  order: z.array(z.string()).optional(),
  only: z.array(z.string()).optional(),
  ignore: z.array(z.string()).optional(),
  allow_fallbacks: z.boolean().optional(),
});

const plugin = z.object({
  other: z
    .object({
      provider: z.record(z.string(), Route).optional().meta({
        title: "Routing",
        description:
          'JSON object by the part of the model name before the slash, for example {"anthropic": {"order": ["Amazon Bedrock"], "allow_fallbacks": false}}',
      }),
    })
    .optional()
    .meta({ title: "Provider routing" }),
});

/** Adds the administrator's routing for this model's provider; a client's own routing takes precedence. */
function withRouting(body: Wire, call: RequestShape): Wire {
  const routes = asRecord(call.plugin["other"]?.["provider"]);
  const route = routes?.[call.model.split("/", 1)[0] ?? ""];
  return route === undefined || body["provider"] !== undefined ? body : { ...body, provider: route };
}

const Credits = z.object({ data: z.object({ total_credits: z.number(), total_usage: z.number() }) });

/** https://openrouter.ai/docs/api-reference, read 2026-11. */
export const openrouter: Provider = {
  type: 20,
  id: "openrouter",
  label: "OpenRouter",
  group: "most-used",
  help: "provider-model-hosts",
  baseUrl: "https://openrouter.ai/api",
  dialects: ["openai-chat", "openai-responses", "anthropic"],
  runsWebSearch: ["openai-chat", "openai-responses", "anthropic"],
  speaks: searchesOnResponses("anthropic"),
  proofs: "unknown",
  endpoints: ["chat", "responses", "embeddings"],
  // https://openrouter.ai/docs/api/reference/errors-and-debugging, read 2026-11-21.
  refusals: {
    kinds: {
      // Moderation and guardrails; an invalid key returns 401 here.
      403: "bad-request",
    },
  },
  keyHint: "sk-or-…",
  models: ["openai/gpt-5-mini", "anthropic/claude-sonnet-4.5"],
  testModel: "openai/gpt-5-mini",
  website: "https://openrouter.ai/activity",
  plugin,
  headers: bearerOrAnthropic,
  adjustRequest: withRouting,
  balance: {
    path: "/v1/credits",
    read(answer) {
      const { total_credits: bought, total_usage: used } = Credits.parse(answer).data;
      return { amount: bought - used, currency: "USD" };
    },
  },
};
