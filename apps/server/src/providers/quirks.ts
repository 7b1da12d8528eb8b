import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { effortIfKnown } from "./model-efforts.ts";
import type { Call } from "./provider.ts";

/**
 * What providers of OpenAI's wire refuse or name differently, one small pure function each. Every one answers the very
 * same object when there is nothing to do, so that an untouched body can go on as the client's own bytes.
 */
export type Adjust = (body: Wire, call: Call) => Wire;

/** Only for callers of other formats: who speaks the provider's own says there what it wants. */
export function ifTranslated(adjust: Adjust): Adjust {
  return (body, call) => (call.translated === true ? adjust(body, call) : body);
}

/** One after the other, each for the bodies that it knows. */
export function inSequence(...adjustments: Adjust[]): Adjust {
  return (body, call) => adjustments.reduce((current, adjust) => adjust(current, call), body);
}

/** These adjustments in this order, to chat bodies of OpenAI's wire; everything else passes. */
export function onChat(...adjustments: Adjust[]): Adjust {
  return (body, call) =>
    call.dialect === "openai-chat"
      ? adjustments.reduce((current, adjust) => adjust(current, call), body)
      : body;
}

/** The same for bodies of the Responses API. */
export function onResponses(...adjustments: Adjust[]): Adjust {
  return (body, call) =>
    call.dialect === "openai-responses"
      ? adjustments.reduce((current, adjust) => adjust(current, call), body)
      : body;
}

/** Drops fields that the provider answers with an error. */
export function without(...fields: string[]): Adjust {
  return (body) => {
    if (!fields.some((field) => field in body)) return body;
    const rest = { ...body };
    for (const field of fields) delete rest[field];
    return rest;
  };
}

/** A field that the provider knows by another name; a value that is there already wins. */
export function renamed(from: string, to: string): Adjust {
  return (body) => {
    if (!(from in body)) return body;
    const { [from]: value, ...rest } = body;
    return to in rest ? rest : { ...rest, [to]: value };
  };
}

/** Most providers know the limit by its first name. */
export const maxTokens = renamed("max_completion_tokens", "max_tokens");

export function clamped(field: string, low: number, high: number): Adjust {
  return (body) => {
    const value = body[field];
    if (typeof value !== "number" || (value >= low && value <= high)) return body;
    return { ...body, [field]: Math.min(high, Math.max(low, value)) };
  };
}

/** Providers without schemas for answers still promise JSON. */
export const jsonWithoutSchema: Adjust = (body) =>
  asRecord(body["response_format"])?.["type"] === "json_schema"
    ? { ...body, response_format: { type: "json_object" } }
    : body;

/** Providers that cannot be forced to call a tool. */
export const freeToolChoice: Adjust = (body) =>
  body["tool_choice"] === undefined || body["tool_choice"] === "auto" || body["tool_choice"] === "none"
    ? body
    : { ...body, tool_choice: "auto" };

function eachMessage(body: Wire, change: (message: Wire) => Wire): Wire {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  let changed = false;
  const next = messages.map((each: unknown) => {
    const message = asRecord(each);
    if (message === undefined) return each;
    const adjusted = change(message);
    if (adjusted !== message) changed = true;
    return adjusted;
  });
  return changed ? { ...body, messages: next } : body;
}

/** The role "developer" is OpenAI's own word for what others call "system". */
export const systemForDeveloper: Adjust = (body) =>
  eachMessage(body, (message) =>
    message["role"] === "developer" ? { ...message, role: "system" } : message,
  );

/** Drops fields of messages. */
export function withoutInMessages(...fields: string[]): Adjust {
  const drop = without(...fields);
  return (body, call) => eachMessage(body, (message) => drop(message, call));
}

/** Thoughts of earlier turns, which strict providers refuse as unknown fields. */
export const withoutThoughts = withoutInMessages("reasoning_content", "reasoning", "reasoning_details");

/** What nearly every provider but OpenAI needs. */
export const plain = [systemForDeveloper, maxTokens, effortIfKnown] as const;
