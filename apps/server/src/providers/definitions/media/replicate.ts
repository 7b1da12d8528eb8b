import { bearer, type Provider } from "#providers/provider.ts";
import {
  openPrediction,
  predictionChat,
  predictionImages,
  WAIT_SECONDS,
} from "#providers/wires/replicate.ts";

/**
 * https://replicate.com/docs/topics/predictions/create-a-prediction,
 * …/changelog/2025-08-05-run-all-models-with-the-same-api-endpoint and
 * …/changelog/2025-10-16-prediction-deadlines, read 2026-11-21. A model is named owner/name, or
 * owner/name:version.
 */
export const replicate: Provider = {
  type: 52,
  id: "replicate",
  label: "Replicate",
  group: "media",
  help: "provider-model-hosts",
  baseUrl: "https://api.replicate.com",
  dialects: ["openai-chat"],
  wire: () => predictionChat,
  endpoints: ["chat", "images"],
  offers: (path) => !path.startsWith("/v1/images/") || path === "/v1/images/generations",
  keyHint: "r8_…",
  models: [
    "meta/meta-llama-3-70b-instruct",
    "openai/gpt-5-mini",
    "black-forest-labs/flux-schnell",
    "black-forest-labs/flux-1.1-pro",
  ],
  testModel: "meta/meta-llama-3-8b-instruct",
  website: "https://replicate.com/account/billing",
  headers: (key) => ({
    ...bearer(key),
    prefer: `wait=${WAIT_SECONDS}`,
    "cancel-after": `${WAIT_SECONDS}s`,
  }),
  adapters: { "/v1/images/generations": predictionImages },
  unframe: { contentType: "application/json", open: openPrediction },
  listing: "none",
};
