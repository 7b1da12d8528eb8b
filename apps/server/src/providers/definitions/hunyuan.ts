import { bearer, CredentialError, type Provider } from "#providers/provider.ts";
import { jsonWithoutSchema, onChat, plain, withoutThoughts } from "#providers/quirks.ts";

/**
 * https://cloud.tencent.com/document/product/1823/131382, read 2026-11-21. Hunyuan's own platform ended on
 * 2026-09-30. TokenHub now sells its models beside others, with keys of its own console.
 */
export const hunyuan: Provider = {
  type: 40,
  id: "hunyuan",
  label: "Tencent TokenHub (Hunyuan)",
  help: "provider-china",
  baseUrl: "https://tokenhub.tencentmaas.com",
  dialects: ["openai-chat"],
  endpoints: ["chat"],
  // https://cloud.tencent.com/document/product/1823/131595, read 2026-11-21.
  refusals: {
    kinds: {
      // The model was not enabled in the console.
      402: "not-found",
    },
  },
  keyHint: "sk-…",
  models: ["hy3", "hy3-preview", "deepseek-v4-pro", "deepseek-v4-flash", "kimi-k2.6", "glm-5.1"],
  testModel: "hy3",
  website: "https://console.cloud.tencent.com/tokenhub",
  headers(key) {
    if (key.includes("|"))
      throw new CredentialError(
        "Tencent is called with an API key of TokenHub's console (sk-…), not with SecretId|SecretKey.",
      );
    return bearer(key);
  },
  adjustRequest: onChat(...plain, withoutThoughts, jsonWithoutSchema),
};
