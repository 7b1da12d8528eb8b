import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://llama.developer.meta.com/docs/features/compatibility, read 2026-11. */
export const llama: Provider = {
  type: 43,
  id: "llama",
  label: "Llama API",
  icon: "meta",
  help: "provider-model-makers",
  baseUrl: "https://api.llama.com/compat",
  dialects: ["openai-chat"],
  endpoints: ["chat"],
  keyHint: "LLM|…",
  models: ["Llama-4-Maverick-17B-128E-Instruct-FP8", "Llama-3.3-70B-Instruct"],
  testModel: "Llama-3.3-70B-Instruct",
  website: "https://llama.developer.meta.com",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
