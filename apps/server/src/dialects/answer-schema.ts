/**
 * Response schemas that are not objects, such as a list or an enum. OpenAI's formats accept objects only, so
 * the schema is wrapped in an object with one field, and the response is unwrapped. Pure except for the state
 * of a stream.
 */
import type { Upstream, Wire } from "./dialect.ts";
import type { ChatEvent, ChatRequest, ChatResponse, Part, ResponseFormat } from "./ir.ts";
import { asRecord, parseRecord } from "./wire.ts";

const field = "value";

/** Returns whether the response to this request is wrapped in an object that its client did not request. */
export function isWrapped({ responseFormat: format }: ChatRequest, upstream: Upstream["id"]): boolean {
  if (format?.type !== "json-schema" || (upstream !== "openai-chat" && upstream !== "openai-responses"))
    return false;
  const { type, properties, $ref: reference } = format.schema;
  // An object that may also be null is a union.
  if (Array.isArray(type)) return true;
  if (type === "object" || properties !== undefined || reference !== undefined) return false;
  return type !== undefined || format.schema["enum"] !== undefined || format.schema["anyOf"] !== undefined;
}

/** Returns the request with an object around its schema; the same request when none is needed. */
export function withObjectSchema(request: ChatRequest, upstream: Upstream["id"]): ChatRequest {
  const { responseFormat: format } = request;
  if (format?.type !== "json-schema" || !isWrapped(request, upstream)) return request;
  // References within a schema start at its root, so definitions stay there.
  const { $defs: named, definitions, ...inner } = format.schema;
  const schema: Wire = {
    type: "object",
    properties: { [field]: inner },
    required: [field],
    additionalProperties: false,
    ...(asRecord(named) && { $defs: named }),
    ...(asRecord(definitions) && { definitions }),
  };
  return { ...request, responseFormat: { ...format, schema } };
}

/** Returns the schema with the description of its format, for dialects that have no other place for it. */
export function describedSchema({
  schema,
  description,
}: Extract<ResponseFormat, { type: "json-schema" }>): Wire {
  const isKept =
    description === undefined || schema["description"] !== undefined || schema["$ref"] !== undefined;
  return isKept ? schema : { ...schema, description };
}

/** Returns the value inside the wrapper, or the text itself when the model ignored the wrapper. */
function unwrapValue(text: string): string {
  const value = parseRecord(text)?.[field];
  return value === undefined ? text : JSON.stringify(value);
}

/**
 * Returns the response without the wrapper. In the rare case of several texts, each is unwrapped separately.
 */
export function withoutObject(answer: ChatResponse): ChatResponse {
  const choices = answer.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map<Part>((part) =>
      part.type === "text" ? { ...part, text: unwrapValue(part.text) } : part,
    ),
  }));
  return { ...answer, choices };
}

/** Does the same for a stream. The text of a choice is complete only at its end, and is sent there. */
export function openUnwrapping(): (event: ChatEvent) => ChatEvent[] {
  const texts = new Map<number, Extract<ChatEvent, { type: "text" }>>();
  return (event) => {
    if (event.type === "text") {
      const before = texts.get(event.choice);
      texts.set(event.choice, before ? { ...before, text: before.text + event.text } : event);
      return [];
    }
    if (event.type !== "stop" && event.type !== "finish") return [event];
    const ended = [...texts.values()].filter(
      ({ choice }) => event.type === "finish" || choice === event.choice,
    );
    for (const { choice } of ended) texts.delete(choice);
    return [...ended.map((each) => ({ ...each, text: unwrapValue(each.text) })), event];
  };
}
