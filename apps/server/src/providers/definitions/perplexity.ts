import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { bearer, type Call, type Provider } from "#providers/provider.ts";

const plugin = z.object({
  web_search: z
    .object({ enable: z.boolean().optional().meta({ title: "Let the model search the web" }) })
    .optional()
    .meta({ title: "Web search" }),
});

/** Its own models keep the names under which they were sold before they stood among others'. */
function currentName(body: Wire): Wire {
  const model = String(body["model"]);
  return model.startsWith("sonar") ? { ...body, model: `perplexity/${model}` } : body;
}

/** Models search there only when they are told that they may; a caller that brings tools decides alone. */
function search(body: Wire, call: Call): Wire {
  const wanted = call.plugin["web_search"]?.["enable"] === true && body["tools"] === undefined;
  return wanted ? { ...body, tools: [{ type: "web_search" }] } : body;
}

/**
 * https://docs.perplexity.ai/llms-full.txt and https://docs.stigg.io/documentation/ai-agents/providers/perplexity, read
 * 2026-11-21: the chat completions that it had besides ended on 2026-09-27.
 */
export const perplexity: Provider = {
  type: 904,
  id: "perplexity",
  label: "Perplexity",
  baseUrl: "https://api.perplexity.ai",
  dialects: ["openai-responses"],
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
