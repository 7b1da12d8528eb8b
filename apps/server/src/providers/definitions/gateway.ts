import { openaiSearches } from "#providers/models/openai-models.ts";
import { anthropicKey, bearer, type Provider } from "#providers/provider.ts";

/**
 * A gateway with the same endpoints as ours.
 * Requests keep the client's dialect, so nothing is translated twice.
 */
export const gateway: Provider = {
  type: 914,
  id: "gateway",
  label: "Another gateway",
  icon: "newapi",
  group: "compatible",
  help: "provider-openai",
  baseUrl: "",
  dialects: ["openai-chat", "openai-responses", "anthropic", "gemini"],
  runsWebSearch: ["openai-chat", "openai-responses", "anthropic", "gemini"],
  proofs: "unknown",
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
  // Error codes of https://github.com/QuantumNous/new-api, read 2026-11-21: for the key's owner there, and
  // for a model without a channel there.
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
