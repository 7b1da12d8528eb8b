import { openaiSearches } from "./implied-search.ts";
import { anthropicKey, bearer, type Provider } from "./provider.ts";

/** A gateway with the same doors as ours: it is asked in the client's own dialect, so nothing is translated twice. */
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
  keyHint: "sk-…",
  models: [],
  testModel: "",
  website: "",
  searches: openaiSearches,
  headers(key, { dialect }) {
    if (dialect === "anthropic") return { ...bearer(key), ...anthropicKey(key) };
    return dialect === "gemini" ? { ...bearer(key), "x-goog-api-key": key } : bearer(key);
  },
};
