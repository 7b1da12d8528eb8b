import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://ai.360.com/platform/docs/overview was not reachable on 2026-11-21; the data is from before. */
export const ai360: Provider = {
  type: 19,
  id: "ai360",
  label: "360",
  help: "provider-china",
  baseUrl: "https://api.360.cn",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings"],
  keyHint: "",
  models: ["360gpt2-pro", "360gpt-pro", "360gpt-turbo", "360gpt2-o1"],
  testModel: "360gpt-turbo",
  website: "https://ai.360.com/platform",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
