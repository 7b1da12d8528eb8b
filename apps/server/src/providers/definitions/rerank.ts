import { bearer, type Provider } from "#providers/provider.ts";

/**
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, read 2026-11-21.
 * Any server with Jina's and Cohere's rerank wire: vLLM, Infinity, TEI behind a proxy …
 */
export const rerank: Provider = {
  type: 48,
  id: "rerank",
  label: "Rerank",
  icon: "server",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["rerank", "embeddings"],
  keyless: true,
  keyHint: "",
  models: [],
  testModel: "",
  website: "",
  headers: bearer,
};
