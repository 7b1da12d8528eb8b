import { idsInChat, nineCharacters } from "#providers/call-ids.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain, renameField, without, withoutThoughts } from "#providers/quirks.ts";

/** https://docs.mistral.ai/api, read 2026-11. It rejects unknown fields. */
export const mistral: Provider = {
  type: 30,
  id: "mistral",
  label: "Mistral",
  help: "provider-model-makers",
  baseUrl: "https://api.mistral.ai",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings", "moderations", "audio"],
  keyHint: "",
  models: ["mistral-large-latest", "mistral-small-latest", "codestral-latest", "mistral-embed"],
  testModel: "mistral-small-latest",
  website: "https://console.mistral.ai",
  headers: bearer,
  adjustRequest: onChat(
    ...plain,
    withoutThoughts,
    renameField("seed", "random_seed"),
    // The last event always contains the usage.
    without("stream_options", "user", "logprobs", "top_logprobs", "logit_bias", "service_tier", "store"),
    idsInChat(nineCharacters),
  ),
};
