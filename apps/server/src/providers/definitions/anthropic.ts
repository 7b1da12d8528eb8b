import { claudeCacheMinimum, claudeLimits } from "#providers/models/claude-models.ts";
import { anthropicKey, type Provider } from "#providers/provider.ts";

/** https://docs.claude.com/en/api/messages, read 2026-11. */
export const anthropic: Provider = {
  type: 14,
  id: "anthropic",
  label: "Anthropic",
  group: "most-used",
  help: "provider-anthropic",
  baseUrl: "https://api.anthropic.com",
  dialects: ["anthropic"],
  runsWebSearch: ["anthropic"],
  managesContext: true,
  endpoints: ["chat"],
  // As reported by users: https://github.com/anthropics/claude-code/issues/66314, read 2026-11-21.
  refusals: {
    kinds: {},
    sentences: [[/credit balance is too low/, "quota"]],
  },
  keyHint: "sk-ant-…",
  models: ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-haiku-4-5"],
  testModel: "claude-haiku-4-5",
  website: "https://console.anthropic.com",
  headers: anthropicKey,
  adjustRequest: claudeLimits,
  cacheMarks: claudeCacheMinimum,
  listing: { path: "/v1/models?limit=1000" },
};
