import { bearer, type Provider } from "./provider.ts";

/** Any server that speaks OpenAI's wire: vLLM, LM Studio, llama.cpp, another gateway … */
export const custom: Provider = {
  type: 8,
  id: "custom",
  label: "OpenAI-compatible",
  icon: "openai",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["chat", "responses", "completions", "embeddings", "moderations", "images", "audio", "rerank"],
  keyless: true,
  keyHint: "sk-…",
  models: [],
  testModel: "",
  website: "",
  headers: bearer,
};
