import { bearer, type Provider } from "#providers/provider.ts";
import { clampField, onChat, plain, withoutThoughts } from "#providers/quirks.ts";

/** https://platform.baichuan-ai.com/docs/api, read 2026-11-21. */
export const baichuan: Provider = {
  type: 26,
  id: "baichuan",
  label: "Baichuan",
  help: "provider-china",
  baseUrl: "https://api.baichuan-ai.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings"],
  keyHint: "sk-…",
  models: ["Baichuan-M3-Plus", "Baichuan-M3", "Baichuan4-Turbo", "Baichuan4-Air", "Baichuan-Text-Embedding"],
  testModel: "Baichuan4-Air",
  website: "https://platform.baichuan-ai.com",
  headers: bearer,
  adjustRequest: onChat(...plain, withoutThoughts, clampField("temperature", 0, 1)),
  listing: "none",
};
