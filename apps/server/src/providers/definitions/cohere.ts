import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain, without, withoutThoughts } from "#providers/quirks.ts";

/**
 * https://docs.cohere.com/docs/compatibility-api, read 2026-11-21, and https://docs.cohere.com/reference/rerank, read
 * 2026-11.
 */
export const cohere: Provider = {
  type: 36,
  id: "cohere",
  label: "Cohere",
  help: "provider-model-makers",
  baseUrl: "https://api.cohere.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings", "rerank"],
  keyHint: "",
  models: ["command-a-03-2025", "command-r7b-12-2024", "embed-v4.0", "rerank-v3.5"],
  testModel: "command-r7b-12-2024",
  website: "https://dashboard.cohere.com",
  headers: bearer,
  path: (_call, standard) => (standard === "/v1/rerank" ? "/v2/rerank" : `/compatibility${standard}`),
  adjustRequest: onChat(
    ...plain,
    withoutThoughts,
    without("n", "user", "store", "logit_bias", "top_logprobs", "service_tier", "parallel_tool_calls"),
  ),
  listing: { path: "/v1/models?page_size=1000" },
};
