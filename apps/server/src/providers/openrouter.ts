import { bearer, type Provider } from "./provider.ts";

/** https://openrouter.ai/docs/api-reference, read 2026-11. */
export const openrouter: Provider = {
  type: 20,
  id: "openrouter",
  label: "OpenRouter",
  baseUrl: "https://openrouter.ai/api",
  dialects: ["openai-chat", "openai-responses"],
  endpoints: ["chat", "responses", "embeddings"],
  keyHint: "sk-or-…",
  models: ["openai/gpt-5-mini", "anthropic/claude-sonnet-4.5"],
  testModel: "openai/gpt-5-mini",
  website: "https://openrouter.ai/activity",
  headers: bearer,
};
