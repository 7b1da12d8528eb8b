import type { Wire } from "#dialects/dialect.ts";
import { searchesOnResponses } from "#providers/models/searches-on-responses.ts";
import { bearer, type RequestShape, type Provider } from "#providers/provider.ts";
import { onChat, without, withoutThoughts } from "#providers/quirks.ts";

const reasons = /^grok-(?!.*non-reasoning)(?:4|latest|3-mini|code|build)/;
/** Models before 4.3 decide their own thinking, and reject an effort. */
const takesNoEffort = /^grok-(?:2|3(?!-mini)|code|4(?:$|-)|4\.20(?:-\d{4})?-(?:non-)?reasoning)/;

/** Drops penalties and stop sequences, which the reasoning models reject, and efforts where unsupported. */
function limits(body: Wire, call: RequestShape): Wire {
  const free = reasons.test(call.model)
    ? without("presence_penalty", "frequency_penalty", "stop")(body, call)
    : body;
  return takesNoEffort.test(call.model) ? without("reasoning_effort")(free, call) : free;
}

/**
 * https://docs.x.ai/docs/api-reference, read 2026-11; https://docs.x.ai/developers/model-capabilities/text/reasoning and
 * for sessions https://docs.livekit.io/agents/integrations/xai, read 2026-11-21.
 */
export const xai: Provider = {
  type: 56,
  id: "xai",
  label: "xAI",
  help: "provider-model-makers",
  baseUrl: "https://api.x.ai",
  dialects: ["openai-chat", "openai-responses"],
  runsWebSearch: ["openai-responses"],
  speaks: searchesOnResponses(),
  // https://docs.x.ai/developers/advanced-api-usage/websocket-mode, read 2026-11-25.
  responsesWebSocket: true,
  // https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits, read 2026-11-28.
  cacheKey: {
    "openai-chat": { header: "x-grok-conv-id" },
    "openai-responses": { field: "prompt_cache_key" },
  },
  endpoints: ["chat", "responses", "images", "realtime"],
  // As reported by users: https://github.com/openai/codex/issues/1352 and
  // https://github.com/Wei-Shaw/sub2api/issues/4069, read 2026-11-21.
  refusals: {
    kinds: {},
    sentences: [
      [/Incorrect API key/, "auth"],
      [/(?:run out of|doesn't have any) credits/, "quota"],
    ],
  },
  keyHint: "xai-…",
  models: ["grok-4.7", "grok-4.3", "grok-build-0.1", "grok-voice-latest"],
  testModel: "grok-4.3",
  website: "https://console.x.ai",
  headers: bearer,
  adjustRequest: onChat(withoutThoughts, limits),
};
