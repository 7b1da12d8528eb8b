import type { Wire } from "#dialects/dialect.ts";
import type { DialectId } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import { mapField } from "./map-field.ts";
import { effortIfKnown } from "./models/model-efforts.ts";
import type { RequestShape } from "./provider.ts";

/**
 * Adjustments for providers with OpenAI's wire format that reject or rename fields: one small pure function
 * each. Each returns the same object when nothing changes, so that an unchanged body can be sent as the
 * client's own bytes.
 */
export type Adjust = (body: Wire, call: RequestShape) => Wire;

/**
 * Restricts an adjustment to clients of other dialects.
 * A client of the provider's own dialect sets what it needs itself.
 */
export function ifTranslated(adjust: Adjust): Adjust {
  return (body, call) => (call.translated === true ? adjust(body, call) : body);
}

/** Applies the adjustments in order, each to the bodies it matches. */
export function inSequence(...adjustments: Adjust[]): Adjust {
  return (body, call) => adjustments.reduce((current, adjust) => adjust(current, call), body);
}

/** Returns a function that restricts adjustments to bodies of one dialect. */
function inDialect(dialect: DialectId): (...adjustments: Adjust[]) => Adjust {
  return (...adjustments) => {
    const adjust = inSequence(...adjustments);
    return (body, call) => (call.dialect === dialect ? adjust(body, call) : body);
  };
}

/** Applies these adjustments in order to chat bodies in OpenAI's format; everything else passes unchanged. */
export const onChat = inDialect("openai-chat");

/** Does the same for bodies of the Responses API. */
export const onResponses = inDialect("openai-responses");

/** Does the same for bodies of the Messages API. */
export const onMessages = inDialect("anthropic");

/** Drops fields that the provider rejects. */
export function without(...fields: string[]): Adjust {
  return (body) => {
    if (!fields.some((field) => field in body)) return body;
    const rest = { ...body };
    for (const field of fields) delete rest[field];
    return rest;
  };
}

/** Renames a field. A value already present under the new name takes precedence. */
export function renameField(from: string, to: string): Adjust {
  return (body) => {
    if (!(from in body)) return body;
    const { [from]: value, ...rest } = body;
    return to in rest ? rest : { ...rest, [to]: value };
  };
}

/** Most providers know the output limit by its older name. */
export const maxTokens = renameField("max_completion_tokens", "max_tokens");

export function clampField(field: string, low: number, high: number): Adjust {
  return (body) => {
    const value = body[field];
    if (typeof value !== "number" || (value >= low && value <= high)) return body;
    return { ...body, [field]: Math.min(high, Math.max(low, value)) };
  };
}

/** For providers without response schemas that still support JSON mode. */
export const jsonWithoutSchema: Adjust = (body) =>
  asRecord(body["response_format"])?.["type"] === "json_schema"
    ? { ...body, response_format: { type: "json_object" } }
    : body;

/** For providers that cannot be forced to call a tool. */
export const freeToolChoice: Adjust = (body) =>
  body["tool_choice"] === undefined || body["tool_choice"] === "auto" || body["tool_choice"] === "none"
    ? body
    : { ...body, tool_choice: "auto" };

/** Replaces OpenAI's role "developer" by "system", which other providers use. */
export const systemForDeveloper: Adjust = (body) =>
  mapField(body, "messages", (message) =>
    message["role"] === "developer" ? { ...message, role: "system" } : message,
  );

/** Drops fields of messages. */
export function withoutInMessages(...fields: string[]): Adjust {
  const drop = without(...fields);
  return (body, call) => mapField(body, "messages", (message) => drop(message, call));
}

/** Drops the reasoning of earlier messages, which strict providers reject as unknown fields. */
export const withoutThoughts = withoutInMessages("reasoning_content", "reasoning", "reasoning_details");

/** Adjustments that nearly every provider except OpenAI needs. */
export const plain = [systemForDeveloper, maxTokens, effortIfKnown] as const;
