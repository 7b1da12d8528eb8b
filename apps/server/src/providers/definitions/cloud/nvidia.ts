import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/**
 * https://docs.api.nvidia.com/nim/reference, read 2026-11, and
 * https://docs.nvidia.com/nim/large-language-models/2.1.4/reference/api-reference.html, read 2026-11-21.
 */
export const nvidia: Provider = {
  type: 906,
  id: "nvidia",
  label: "NVIDIA NIM",
  group: "cloud",
  help: "provider-model-hosts",
  baseUrl: "https://integrate.api.nvidia.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings"],
  // https://github.com/gethouston/houston/pull/1243, read 2026-11-21.
  refusals: {
    kinds: {
      // The model was removed or never available to this account; other models work with the same key.
      410: "not-found",
    },
  },
  keyHint: "nvapi-…",
  models: ["meta/llama-3.3-70b-instruct", "openai/gpt-oss-120b"],
  testModel: "meta/llama-3.3-70b-instruct",
  website: "https://build.nvidia.com",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
