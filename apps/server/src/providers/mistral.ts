import { bearer, type Provider } from "./provider.ts";

/** https://docs.mistral.ai/api, read 2026-11. */
export const mistral: Provider = {
  type: 30,
  id: "mistral",
  label: "Mistral",
  baseUrl: "https://api.mistral.ai",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings", "moderations"],
  keyHint: "",
  models: ["mistral-large-latest", "mistral-small-latest", "codestral-latest", "mistral-embed"],
  testModel: "mistral-small-latest",
  website: "https://console.mistral.ai",
  headers: bearer,
};
