/**
 * Models that think by default and demand their thinking back: a call in the history without it is rejected, as
 * is a forced tool while they think. Clients of other dialects and other providers have no such thinking.
 */
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { mapField } from "#providers/map-field.ts";
import type { Adjust } from "#providers/quirks.ts";

/** Stands for thinking that the client does not have. An empty text counts as missing at some providers. */
const UNKNOWN = " ";

/** Returns thinking that is present under another name. */
function otherThinking(message: Wire): string {
  const { reasoning, reasoning_details: details } = message;
  if (typeof reasoning === "string" && reasoning !== "") return reasoning;
  const texts = (Array.isArray(details) ? (details as unknown[]) : []).flatMap((each) => {
    const text = asRecord(each)?.["text"];
    return typeof text === "string" ? [text] : [];
  });
  return texts.join("") || UNKNOWN;
}

/** Fills in `reasoning_content` beside calls, in bodies of chat completions. */
export const withCallThinking: Adjust = (body) =>
  mapField(body, "messages", (message) => {
    const { tool_calls: calls, reasoning_content: thinking } = message;
    const isMissing = Array.isArray(calls) && calls.length > 0 && typeof thinking !== "string";
    return isMissing ? { ...message, reasoning_content: otherThinking(message) } : message;
  });

const isThinking = (block: unknown) => {
  const type = asRecord(block)?.["type"];
  return type === "thinking" || type === "redacted_thinking";
};

/** Does the same in bodies of the Messages API. */
export const withBlockThinking: Adjust = (body) =>
  asRecord(body["thinking"])?.["type"] === "disabled"
    ? body
    : mapField(body, "messages", (message) => {
        const { content } = message;
        if (message["role"] !== "assistant" || !Array.isArray(content)) return message;
        const calls = content.some((block: unknown) => asRecord(block)?.["type"] === "tool_use");
        if (!calls || content.some(isThinking)) return message;
        const thinking = { type: "thinking", thinking: UNKNOWN, signature: "" };
        return { ...message, content: [thinking, ...(content as unknown[])] };
      });

function asksToThink(body: Wire): boolean {
  const type = asRecord(body["thinking"])?.["type"];
  const effort = body["reasoning_effort"] ?? asRecord(body["output_config"])?.["effort"];
  return type === "enabled" || type === "adaptive" || (effort !== undefined && effort !== "none");
}

/** Whether the body forces a call, in either format. */
function forcesTool({ tool_choice: choice }: Wire): boolean {
  if (typeof choice === "string") return choice !== "auto" && choice !== "none";
  const type = asRecord(choice)?.["type"];
  return choice !== undefined && choice !== null && type !== "auto" && type !== "none";
}

/**
 * For models that cannot be forced to call a tool while they think: switches thinking off, unless the caller
 * asks for it. Then the model decides.
 */
export const forcedOrThinking: Adjust = (body, call) => {
  if (!forcesTool(body) || asRecord(body["thinking"])?.["type"] === "disabled") return body;
  if (!asksToThink(body) && call.reasoning?.effort === undefined)
    return { ...body, thinking: { type: "disabled" } };
  const choice = asRecord(body["tool_choice"]);
  const parallel = choice?.["disable_parallel_tool_use"];
  const free =
    parallel === undefined ? { type: "auto" } : { type: "auto", disable_parallel_tool_use: parallel };
  return { ...body, tool_choice: call.dialect === "anthropic" ? free : "auto" };
};
