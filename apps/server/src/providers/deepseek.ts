import { bearer, type Provider } from "./provider.ts";

/** https://api-docs.deepseek.com, read 2026-11. */
export const deepseek: Provider = {
  type: 28,
  id: "deepseek",
  label: "DeepSeek",
  baseUrl: "https://api.deepseek.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions"],
  keyHint: "sk-…",
  models: ["deepseek-chat", "deepseek-reasoner"],
  testModel: "deepseek-chat",
  website: "https://platform.deepseek.com/usage",
  headers: bearer,
};
