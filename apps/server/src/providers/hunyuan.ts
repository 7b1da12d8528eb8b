import { bearer, CredentialError, type Provider } from "./provider.ts";
import { jsonWithoutSchema, onChat, plain, withoutThoughts } from "./quirks.ts";

/**
 * https://cloud.tencent.com/document/product/1729/111007, read 2026-11.
 * Key pairs of the cloud account belong to the signed API; this one takes an API key of Hunyuan's own console.
 */
export const hunyuan: Provider = {
  type: 40,
  id: "hunyuan",
  label: "Tencent Hunyuan",
  baseUrl: "https://api.hunyuan.cloud.tencent.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings"],
  keyHint: "sk-…",
  models: ["hunyuan-turbos-latest", "hunyuan-t1-latest", "hunyuan-lite", "hunyuan-embedding"],
  testModel: "hunyuan-lite",
  website: "https://console.cloud.tencent.com/hunyuan",
  headers(key) {
    if (key.includes("|"))
      throw new CredentialError(
        "Hunyuan is called with an API key from its console (sk-…), not with SecretId|SecretKey.",
      );
    return bearer(key);
  },
  adjustRequest: onChat(...plain, withoutThoughts, jsonWithoutSchema),
  listing: "none",
};
