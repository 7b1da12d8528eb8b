import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://docs.fireworks.ai/api-reference/post-chatcompletions, read 2026-11-21. */
export const fireworks: Provider = {
  type: 903,
  id: "fireworks",
  label: "Fireworks",
  help: "provider-model-hosts",
  baseUrl: "https://api.fireworks.ai/inference",
  dialects: ["openai-chat", "openai-responses"],
  endpoints: ["chat", "responses", "completions", "embeddings"],
  // https://docs.fireworks.ai/troubleshooting/status_error_codes/inference_error_code, read 2026-11-21.
  refusals: {
    kinds: {
      // The account is suspended: unpaid, or over its spending limit.
      412: "quota",
    },
  },
  keyHint: "fw_…",
  models: ["accounts/fireworks/models/deepseek-v3p1", "accounts/fireworks/models/gpt-oss-120b"],
  testModel: "accounts/fireworks/models/gpt-oss-120b",
  website: "https://app.fireworks.ai",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
