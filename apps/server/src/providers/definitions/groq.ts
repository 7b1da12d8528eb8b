import type { Wire } from "#dialects/dialect.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, systemForDeveloper, without, withoutInMessages } from "#providers/quirks.ts";

/** Adjusts the effort: only Groq's reasoning models accept one, and each family has its own values. */
function effort(body: Wire): Wire {
  const { reasoning_effort: wanted, ...rest } = body;
  const model = String(body["model"]);
  if (wanted === undefined) return body;
  if (model.includes("gpt-oss"))
    return wanted === "low" || wanted === "medium" || wanted === "high" ? body : rest;
  if (model.includes("qwen3")) return { ...rest, reasoning_effort: wanted === "none" ? "none" : "default" };
  return rest;
}

/** https://console.groq.com/docs/openai, read 2026-11. */
export const groq: Provider = {
  type: 31,
  id: "groq",
  label: "Groq",
  help: "provider-model-hosts",
  baseUrl: "https://api.groq.com/openai",
  dialects: ["openai-chat", "openai-responses"],
  endpoints: ["chat", "responses", "audio"],
  // https://console.groq.com/docs/flex-processing and https://github.com/HunorLaczko/ha-groq-cloud-api/issues/27,
  // read 2026-11-21.
  refusals: {
    kinds: {
      // The flex tier has no capacity.
      498: "overloaded",
      // Also sent with 413: more tokens than this account may send in a minute. Another account may allow it.
      rate_limit_exceeded: "rate-limited",
    },
  },
  keyHint: "gsk_…",
  models: ["openai/gpt-oss-120b", "openai/gpt-oss-20b"],
  testModel: "openai/gpt-oss-20b",
  website: "https://console.groq.com",
  headers: bearer,
  adjustRequest: onChat(
    systemForDeveloper,
    without("logprobs", "top_logprobs", "logit_bias", "n"),
    withoutInMessages("name", "reasoning_content", "reasoning_details"),
    effort,
  ),
};
