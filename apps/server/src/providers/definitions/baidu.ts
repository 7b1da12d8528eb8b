import { bearer, CredentialError, type Provider } from "#providers/provider.ts";
import { onChat, plain, withoutThoughts } from "#providers/quirks.ts";

/**
 * https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb, read 2026-11-21. Pairs of key and secret belong to the
 * first API, which Baidu replaced.
 */
export const baidu: Provider = {
  type: 15,
  id: "baidu",
  label: "Baidu Qianfan",
  icon: "baiducloud",
  help: "provider-china",
  baseUrl: "https://qianfan.baidubce.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings", "images", "rerank"],
  // https://cloud.baidu.com/doc/qianfan-api/s/rmwbl43x7, read 2026-11-21. The statuses alone would wrongly
  // indicate an invalid key.
  refusals: {
    kinds: {
      system_unsafe: "bad-request",
      user_setting_unsafe: "bad-request",
      functions_unsafe: "bad-request",
      BILLING_INSUFFICIENT_BALANCE: "quota",
      account_overdue: "quota",
      invalid_model: "not-found",
    },
  },
  keyHint: "bce-v3/ALTAK-…",
  models: [
    "ernie-5.0-thinking-preview",
    "ernie-4.5-turbo-128k",
    "ernie-x1.1-preview",
    "ernie-speed-pro-128k",
    "embedding-v1",
  ],
  testModel: "ernie-4.5-turbo-128k",
  website: "https://console.bce.baidu.com/qianfan",
  headers(key) {
    if (key.includes("|"))
      throw new CredentialError(
        "Baidu replaced keys of the form APIKey|SecretKey: create one that begins with bce-v3/.",
      );
    return bearer(key);
  },
  path: (_call, standard) => standard.replace(/^\/v1(?=\/)/, "/v2"),
  adjustRequest: onChat(...plain, withoutThoughts),
};
