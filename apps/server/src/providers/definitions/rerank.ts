import { bearer, type Provider } from "#providers/provider.ts";

/**
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, read 2026-11-21. Any server with the
 * rerank API of Jina and Cohere: vLLM, Infinity, TEI behind a proxy, etc.
 */
export const rerank: Provider = {
  type: 48,
  id: "rerank",
  label: "Rerank",
  icon: "server",
  group: "compatible",
  help: "provider-own-servers",
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
