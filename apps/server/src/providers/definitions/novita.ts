import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion, read 2026-11. */
export const novita: Provider = {
  type: 908,
  id: "novita",
  label: "Novita",
  help: "provider-model-hosts",
  baseUrl: "https://api.novita.ai/openai",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings", "rerank"],
  // https://novita.ai/docs/api-reference/basic-error-code, read 2026-11-21.
  refusals: {
    kinds: {
      NOT_ENOUGH_BALANCE: "quota",
      BILLING_BALANCE_NOT_ENOUGH: "quota",
      INVALID_API_KEY: "auth",
      MODEL_NOT_FOUND: "not-found",
    },
  },
  keyHint: "sk_…",
  models: ["deepseek/deepseek-v3.2", "openai/gpt-oss-120b"],
  testModel: "openai/gpt-oss-120b",
  website: "https://novita.ai/console",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
