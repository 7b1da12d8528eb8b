import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { bearer, type RequestShape, type Provider } from "#providers/provider.ts";

const plugin = z.object({
  web_search: z
    .object({ enable: z.boolean().optional().meta({ title: "Let the model search the web" }) })
    .optional()
    .meta({ title: "Web search" }),
});

/**
 * Restores the prefix of Perplexity's own models, which were named
 * without it before it also hosted other models.
 */
function currentName(body: Wire): Wire {
  const model = String(body["model"]);
  return model.startsWith("sonar") ? { ...body, model: `perplexity/${model}` } : body;
}

/**
 * Adds the web search tool. Models search only when it is enabled; a caller that sends tools decides itself.
 */
function search(body: Wire, call: RequestShape): Wire {
  const wanted = call.plugin["web_search"]?.["enable"] === true && body["tools"] === undefined;
  return wanted ? { ...body, tools: [{ type: "web_search" }] } : body;
}

/**
 * https://docs.perplexity.ai/llms-full.txt and
 * https://docs.stigg.io/documentation/ai-agents/providers/perplexity, read 2026-11-21. Perplexity's chat
 * completions ended on 2026-09-27.
 */
export const perplexity: Provider = {
  type: 904,
  id: "perplexity",
  label: "Perplexity",
  help: "provider-model-makers",
  baseUrl: "https://api.perplexity.ai",
  dialects: ["openai-responses"],
  runsWebSearch: ["openai-responses"],
  endpoints: ["chat", "responses"],
  keyHint: "pplx-…",
  models: ["perplexity/sonar", "openai/gpt-5-mini", "anthropic/claude-sonnet-4-5"],
  testModel: "perplexity/sonar",
  website: "https://console.perplexity.ai",
  plugin,
  headers: bearer,
  adjustRequest: (body, call) => search(currentName(body), call),
  listing: "none",
};
