import { bearer, type Provider } from "#providers/provider.ts";

/** https://api.jina.ai/redoc, read 2026-11. */
export const jina: Provider = {
  type: 47,
  id: "jina",
  label: "Jina",
  help: "provider-media",
  baseUrl: "https://api.jina.ai",
  dialects: ["openai-chat"],
  endpoints: ["rerank", "embeddings"],
  keyHint: "jina_…",
  models: ["jina-reranker-v3", "jina-reranker-v2-base-multilingual", "jina-embeddings-v4"],
  testModel: "",
  website: "https://jina.ai",
  headers: bearer,
  listing: "none",
};
