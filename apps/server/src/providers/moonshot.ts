import { bearer, type Provider } from "./provider.ts";

/** https://platform.moonshot.cn/docs, read 2026-11. */
export const moonshot: Provider = {
  type: 29,
  id: "moonshot",
  label: "Moonshot",
  baseUrl: "https://api.moonshot.cn",
  dialects: ["openai-chat"],
  endpoints: ["chat"],
  keyHint: "sk-…",
  models: ["kimi-k2-turbo-preview", "kimi-latest", "moonshot-v1-8k"],
  testModel: "moonshot-v1-8k",
  website: "https://platform.moonshot.cn",
  headers: bearer,
};
