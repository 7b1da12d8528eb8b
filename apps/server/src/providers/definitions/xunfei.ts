import { lookupTable } from "@gateway/shared/lookup-table";
import type { Wire } from "#dialects/dialect.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain, withoutThoughts } from "#providers/quirks.ts";

/** Names of these models before the HTTP API. */
const formerNames = lookupTable<string>({
  SparkDesk: "lite",
  "SparkDesk-v1.1": "lite",
  "SparkDesk-v3.1": "generalv3",
  "SparkDesk-v3.5": "generalv3.5",
  "SparkDesk-v4.0": "4.0Ultra",
});

function currentName(body: Wire): Wire {
  const name = formerNames[String(body["model"])];
  return name === undefined ? body : { ...body, model: name };
}

/**
 * https://www.xfyun.cn/doc/spark/HTTP%E8%B0%83%E7%94%A8%E6%96%87%E6%A1%A3.html, read 2026-11-21. The HTTP API
 * accepts the console's APIPassword, or key and secret joined by a colon.
 */
export const xunfei: Provider = {
  type: 18,
  id: "xunfei",
  label: "Xunfei Spark",
  icon: "spark",
  help: "provider-china",
  baseUrl: "https://spark-api-open.xf-yun.com",
  dialects: ["openai-chat"],
  endpoints: ["chat"],
  // Codes of https://www.xfyun.cn/doc/spark/Web.html, which was not reachable on 2026-11-21; 11200 as the API
  // returned it.
  refusals: {
    kinds: {
      10007: "rate-limited",
      10013: "bad-request",
      10014: "bad-request",
      10019: "bad-request",
      10110: "overloaded",
      10163: "bad-request",
      10907: "bad-request",
      11200: "quota",
      11201: "rate-limited",
      11202: "rate-limited",
      11203: "rate-limited",
    },
    sentences: [[/^invalid param model:/, "not-found"]],
  },
  keyHint: "APIPassword, or APPID|APISecret|APIKey",
  models: ["lite", "generalv3", "pro-128k", "generalv3.5", "max-32k", "4.0Ultra", "spark-x"],
  testModel: "lite",
  website: "https://console.xfyun.cn",
  headers(key) {
    const [, secret, id] = key.split("|");
    return bearer(secret === undefined || id === undefined ? key : `${id}:${secret}`);
  },
  path: ({ model }, standard) => (/^(?:spark-)?x/.test(model) ? standard.replace("/v1/", "/v2/") : standard),
  adjustRequest: onChat(...plain, withoutThoughts, currentName),
  listing: "none",
};
