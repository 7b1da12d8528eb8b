import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://docs.together.ai/reference, read 2026-11. */
export const together: Provider = {
  type: 902,
  id: "together",
  label: "Together",
  help: "provider-model-hosts",
  baseUrl: "https://api.together.xyz",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings", "images", "audio", "rerank"],
  // https://docs.together.ai/docs/error-codes, read 2026-11-21.
  refusals: {
    kinds: {
      // Input longer than the model's context; an invalid key returns 401 here.
      403: "bad-request",
    },
  },
  keyHint: "",
  models: ["meta-llama/Llama-3.3-70B-Instruct-Turbo", "deepseek-ai/DeepSeek-V3.1"],
  testModel: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
  website: "https://api.together.ai",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
