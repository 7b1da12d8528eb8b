import { bearer, type Provider } from "./provider.ts";

/** https://docs.x.ai/docs/api-reference, read 2026-11. */
export const xai: Provider = {
  type: 56,
  id: "xai",
  label: "xAI",
  baseUrl: "https://api.x.ai",
  dialects: ["openai-chat", "openai-responses"],
  endpoints: ["chat", "responses", "images"],
  keyHint: "xai-…",
  models: ["grok-4", "grok-4-fast", "grok-code-fast-1"],
  testModel: "grok-4-fast",
  website: "https://console.x.ai",
  headers: bearer,
};
