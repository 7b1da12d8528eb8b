import { createHash } from "node:crypto";
import type { Wire } from "#dialects/dialect.ts";
import { mendChat } from "#dialects/openai-chat/mend.ts";
import { asRecord } from "#dialects/wire.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain, renamed, without, withoutThoughts } from "#providers/quirks.ts";

const accepted = /^[a-zA-Z0-9]{9}$/;

/**
 * Returns an id that the provider accepts: nine letters and digits.
 * The same id always becomes the same nine characters.
 */
export function callId(id: string): string {
  return accepted.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function shortId<T extends Wire>(holder: T, field: string): T {
  const id = holder[field];
  if (typeof id !== "string" || accepted.test(id)) return holder;
  return { ...holder, [field]: callId(id) };
}

function callIds(body: Wire): Wire {
  if (!Array.isArray(body["messages"])) return body;
  let changed = false;
  const messages = body["messages"].map((each: unknown) => {
    const message = asRecord(each);
    if (message === undefined) return each;
    let next = shortId(message, "tool_call_id");
    const calls: unknown = next["tool_calls"];
    if (Array.isArray(calls)) {
      const short = calls.map((call: unknown) => {
        const known = asRecord(call);
        return known === undefined ? call : shortId(known, "id");
      });
      if (short.some((call, index) => call !== calls[index])) next = { ...next, tool_calls: short };
    }
    if (next !== message) changed = true;
    return next;
  });
  return changed ? { ...body, messages } : body;
}

/** https://docs.mistral.ai/api, read 2026-11. It rejects unknown fields. */
export const mistral: Provider = {
  type: 30,
  id: "mistral",
  label: "Mistral",
  baseUrl: "https://api.mistral.ai",
  dialects: ["openai-chat"],
  mends: { "openai-chat": mendChat },
  endpoints: ["chat", "embeddings", "moderations", "audio"],
  keyHint: "",
  models: ["mistral-large-latest", "mistral-small-latest", "codestral-latest", "mistral-embed"],
  testModel: "mistral-small-latest",
  website: "https://console.mistral.ai",
  headers: bearer,
  adjustRequest: onChat(
    ...plain,
    withoutThoughts,
    renamed("seed", "random_seed"),
    // The last event always contains the usage.
    without("stream_options", "user", "logprobs", "top_logprobs", "logit_bias", "service_tier", "store"),
    callIds,
  ),
};
