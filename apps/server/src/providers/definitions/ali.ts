import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { bearer, type RequestShape, type Provider } from "#providers/provider.ts";
import { freeToolChoice, onChat, plain } from "#providers/quirks.ts";

const plugin = z.object({
  web_search: z
    .object({ enable: z.boolean().optional().meta({ title: "Let Qwen search the web" }) })
    .optional()
    .meta({ title: "Web search" }),
});

const searches = /^(?:qwen3?-(?:plus|turbo|max|flash)|qwq-plus)/;

function search(body: Wire, call: RequestShape): Wire {
  const wanted = call.plugin["web_search"]?.["enable"] === true && searches.test(call.model);
  return wanted && body["enable_search"] === undefined ? { ...body, enable_search: true } : body;
}

const openHybrid = /^qwen3-\d+(?:\.\d+)?b(?!.*(?:thinking|instruct))/;

/**
 * Switches thinking off for responses that are not streamed.
 * The open models think by default, and reject that without streaming.
 */
function wholeAnswer(body: Wire, call: RequestShape): Wire {
  return !call.stream && openHybrid.test(call.model) && body["enable_thinking"] === undefined
    ? { ...body, enable_thinking: false }
    : body;
}

/** Models that cannot stop thinking. */
const onlyThinks = /^(?:qwq|qvq)|-thinking/;

/** A thinking model cannot be forced to call a tool. */
function freeWhileThinking(body: Wire, call: RequestShape): Wire {
  return body["enable_thinking"] === true || onlyThinks.test(call.model) ? freeToolChoice(body, call) : body;
}

/**
 * Models with a cache at marks. https://www.alibabacloud.com/help/en/model-studio/context-cache, read 2026-11-28. The
 * cache without marks is not used for a request that has some: its reads cost twice as much.
 */
const cachesAtMarks = /^qwen(?:3-max|-plus|-flash|3\.\d-(?:plus|flash)|3-coder-(?:plus|flash))(?:-|$)/;
const CACHE_MINIMUM = 1024;

/**
 * https://help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope and …/realtime, read
 * 2026-11-21. dashscope-intl.aliyuncs.com outside China.
 */
export const ali: Provider = {
  type: 17,
  id: "ali",
  label: "Alibaba DashScope (Qwen)",
  icon: "qwen",
  help: "provider-china",
  baseUrl: "https://dashscope.aliyuncs.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings", "rerank", "realtime"],
  // https://help.aliyun.com/zh/model-studio/error-code, read 2026-11-21.
  refusals: {
    kinds: {
      Arrearage: "quota",
      InvalidApiKey: "auth",
      // The token limit per minute, under the code that OpenAI uses for an empty account.
      insufficient_quota: "rate-limited",
      // The free quota of this one model is used up.
      AllocationQuota: "not-found",
      // Model.AccessDenied: the key has no access to this one model.
      Model: "not-found",
      ModelNotFound: "not-found",
      access_denied: "not-found",
      AccessDenied: "not-found",
      Throttling: "rate-limited",
      ServiceUnavailable: "overloaded",
    },
  },
  keyHint: "sk-…",
  otherLabel: "DashScope plugin (X-DashScope-Plugin)",
  models: [
    "qwen3-max",
    "qwen-plus",
    "qwen-flash",
    "qwen-turbo",
    "qwen3-vl-plus",
    "text-embedding-v4",
    "qwen3-rerank",
  ],
  testModel: "qwen-flash",
  website: "https://bailian.console.aliyun.com",
  plugin,
  headers: (key, { other }) => ({
    ...bearer(key),
    ...(other === "" ? {} : { "x-dashscope-plugin": other }),
  }),
  path(_call, standard) {
    if (standard === "/v1/rerank") return "/compatible-api/v1/reranks";
    return standard.startsWith("/v1/realtime") ? `/api-ws${standard}` : `/compatible-mode${standard}`;
  },
  cacheMarks: ({ model, dialect }) =>
    dialect === "openai-chat" && cachesAtMarks.test(model) ? CACHE_MINIMUM : undefined,
  adjustRequest: onChat(...plain, search, wholeAnswer, freeWhileThinking),
};
