import { openaiSearches } from "#providers/implied-search.ts";
import { anthropicKey, bearer, type Provider } from "#providers/provider.ts";

/** A gateway with the same endpoints as ours: it is asked in the client's own dialect, so nothing is translated twice. */
export const gateway: Provider = {
  type: 914,
  id: "gateway",
  label: "Another gateway",
  icon: "newapi",
  baseUrl: "",
  dialects: ["openai-chat", "openai-responses", "anthropic", "gemini"],
  endpoints: [
    "chat",
    "responses",
    "completions",
    "embeddings",
    "moderations",
    "images",
    "audio",
    "rerank",
    "realtime",
  ],
  // https://github.com/QuantumNous/new-api, its error codes, read 2026-11-21: of the key's owner there, and of a model
  // that no channel there has.
  refusals: {
    kinds: {
      insufficient_user_quota: "quota",
      pre_consume_token_quota_failed: "quota",
      model_not_found: "not-found",
    },
  },
  keyHint: "sk-…",
  models: [],
  testModel: "",
  website: "",
  searches: openaiSearches,
  balance: "openai-billing",
  headers(key, { dialect }) {
    if (dialect === "anthropic") return { ...bearer(key), ...anthropicKey(key) };
    return dialect === "gemini" ? { ...bearer(key), "x-goog-api-key": key } : bearer(key);
  },
};
