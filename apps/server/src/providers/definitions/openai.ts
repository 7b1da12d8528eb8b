import { openaiDialects, openaiLimits, openaiSearches } from "#providers/models/openai-models.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { inSequence, onChat, withoutThoughts } from "#providers/quirks.ts";

/** https://platform.openai.com/docs/api-reference, read 2026-11. */
export const openai: Provider = {
  type: 1,
  id: "openai",
  label: "OpenAI",
  group: "most-used",
  help: "provider-openai",
  baseUrl: "https://api.openai.com",
  dialects: ["openai-chat", "openai-responses"],
  runsWebSearch: ["openai-chat", "openai-responses"],
  speaks: openaiDialects,
  // https://developers.openai.com/api/docs/guides/websocket-mode, read 2026-11-25.
  responsesWebSocket: true,
  exact: true,
  // https://developers.openai.com/api/docs/guides/prompt-caching, read 2026-11-28.
  cacheKey: {
    "openai-chat": { field: "prompt_cache_key" },
    "openai-responses": { field: "prompt_cache_key" },
  },
  endpoints: [
    "chat",
    "responses",
    "completions",
    "embeddings",
    "moderations",
    "images",
    "audio",
    "realtime",
    "account",
  ],
  keyHint: "sk-proj-…",
  models: [
    "gpt-5.6-sol",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-5.4-mini",
    "gpt-5.4-nano",
    "gpt-4.1",
    "gpt-4o-mini",
    "text-embedding-3-small",
  ],
  testModel: "gpt-4o-mini",
  website: "https://platform.openai.com/usage",
  searches: openaiSearches,
  balance: "openai-billing",
  headers: bearer,
  adjustRequest: inSequence(openaiLimits, onChat(withoutThoughts)),
};
