import { createHash } from "node:crypto";
import type { Wire } from "#dialects/dialect.ts";
import { mapField } from "./map-field.ts";
import type { Adjust } from "./quirks.ts";

/**
 * Ids of tool calls in the history. Clients send the ids of whatever provider answered, which may be longer than
 * the next one accepts, or have other characters. A call and its result always get the same new id. Pure.
 */
export interface IdRule {
  accepted: RegExp;
  replace(id: string): string;
}

const hashOf = (id: string, length: number) => createHash("sha256").update(id).digest("hex").slice(0, length);
const hashId = (id: string) => `call_${hashOf(id, 32)}`;

/** OpenAI's limits: 40 characters in chat completions, 64 in the Responses API. */
export const chatIds: IdRule = { accepted: /^[\s\S]{1,40}$/, replace: hashId };
export const responsesIds: IdRule = { accepted: /^[\s\S]{1,64}$/, replace: hashId };
/** Mistral's ids have exactly nine letters and digits. */
export const nineCharacters: IdRule = { accepted: /^[A-Za-z0-9]{9}$/, replace: (id) => hashOf(id, 9) };
export const claudeIds: IdRule = { accepted: /^[\w-]{1,64}$/, replace: hashId };

function withId(owner: Wire, field: string, { accepted, replace }: IdRule): Wire {
  const id = owner[field];
  return typeof id !== "string" || accepted.test(id) ? owner : { ...owner, [field]: replace(id) };
}

/** Applies the rule to a body of chat completions. */
export function idsInChat(rule: IdRule): Adjust {
  return (body) =>
    mapField(body, "messages", (message) =>
      mapField(withId(message, "tool_call_id", rule), "tool_calls", (call) => withId(call, "id", rule)),
    );
}

/** Does the same for a body of the Responses API. The id of an item itself is optional, so a long one is left out. */
export function idsInResponses(rule: IdRule): Adjust {
  return (body) => mapField(body, "input", (item) => withShortId(withId(item, "call_id", rule), rule));
}

function withShortId(item: Wire, { accepted }: IdRule): Wire {
  const { id, ...rest } = item;
  return typeof id !== "string" || accepted.test(id) || item["type"] === "item_reference" ? item : rest;
}

/** Does the same for a body of the Messages API. */
export function idsInMessages(rule: IdRule): Adjust {
  return (body) =>
    mapField(body, "messages", (message) =>
      mapField(message, "content", (block) => {
        if (block["type"] === "tool_use") return withId(block, "id", rule);
        return block["type"] === "tool_result" ? withId(block, "tool_use_id", rule) : block;
      }),
    );
}
