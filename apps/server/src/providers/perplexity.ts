import { bearer, type Provider } from "./provider.ts";
import { onChat, plain, withoutThoughts } from "./quirks.ts";

/** https://docs.perplexity.ai/api-reference/chat-completions-post, read 2026-11. */
export const perplexity: Provider = {
  type: 904,
  id: "perplexity",
  label: "Perplexity",
  baseUrl: "https://api.perplexity.ai",
  dialects: ["openai-chat"],
  endpoints: ["chat"],
  keyHint: "pplx-…",
  models: ["sonar", "sonar-pro", "sonar-reasoning-pro", "sonar-deep-research"],
  testModel: "sonar",
  website: "https://www.perplexity.ai/settings/api",
  headers: bearer,
  path: (_call, standard) => standard.replace(/^\/v1(?=\/)/, ""),
  adjustRequest: onChat(...plain, withoutThoughts),
  listing: "none",
};
