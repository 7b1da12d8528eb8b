/**
 * Reads JSON from outside: validates it at the boundary, reports what is wrong, and throws no other errors.
 */
import { issueOf } from "@gateway/shared/errors/issue";
import type { z, ZodType } from "zod";
import { GatewayError, invalidRequest } from "#errors.ts";
import { isDefault } from "./default-values.ts";
import type { Wire } from "./dialect.ts";
import type { ChatRequest, ClientDialectId, DialectId, Extra, Part } from "./ir.ts";
import { isExactNumber, parseJson } from "./json/parse-json.ts";

export function asRecord(value: unknown): Wire | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && !isExactNumber(value) ? (value as Wire) : undefined;
}

export function parseRecord(text: string): Wire | undefined {
  return asRecord(parseJson(text));
}

/** Validates a value from a caller. Throws `invalidRequest` with the path of the first offending field. */
export function parseAt<T>(schema: ZodType<T>, value: unknown, at: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const below = issue?.path.map(String).join(".") ?? "";
  const path = at === "" || below === "" ? at + below : `${at}.${below}`;
  throw path === "" ? invalidRequest({ reason: "body_not_object" }) : misfit(path, issue, value);
}

function misfit(field: string, issue: z.core.$ZodIssue | undefined, value: unknown): GatewayError {
  const found = issue === undefined ? undefined : issueOf(issue, value);
  if (found?.reason === "value_required") return invalidRequest({ reason: "field_required", field });
  return invalidRequest({ reason: "value_not_valid", ...found, field });
}

/** Reads a value from a provider; returns undefined when it does not match the schema. */
export function readAs<T>(schema: ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** Reads a provider's complete response; throws `upstream_failed` when it cannot be read. */
export function parseAnswer<T>(schema: ZodType<T>, value: unknown): T {
  const answer = readAs(schema, value);
  if (answer === undefined) throw new GatewayError("upstream_failed", { reason: "upstream_unreadable" });
  return answer;
}

/** Returns the fields that are not among the known ones, as `extra` of this dialect. */
export function extraOf(dialect: DialectId, body: Wire, known: ReadonlySet<string>): Extra | undefined {
  let fields: Wire | undefined;
  for (const key of Object.keys(body)) {
    if (known.has(key) || body[key] === undefined) continue;
    fields ??= {};
    fields[key] = body[key];
  }
  return fields === undefined ? undefined : { dialect, fields };
}

/** Adds the fields of the wire form that the IR does not have; the same object when there are none. */
export function withExtra<T extends object>(
  value: T,
  dialect: DialectId,
  wire: Wire,
  known: ReadonlySet<string>,
): T & { extra?: Extra } {
  let fields: Wire | undefined;
  // Runs for each part of each request: no list of keys is made.
  for (const key in wire) {
    if (known.has(key)) continue;
    const each = wire[key];
    // Clients send `null` back for fields that a response does not have.
    if (each !== undefined && each !== null) fields = { ...fields, [key]: each };
  }
  return fields === undefined ? value : { ...value, extra: { dialect, fields } };
}

/** Returns the wire form with the fields of an `extra` that belong to this dialect. What the IR has wins. */
export function addOwnFields(dialect: DialectId, wire: Wire, extra: Extra | undefined): Wire {
  const own = ownFields(dialect, extra);
  if (own === undefined || own === wire) return wire;
  const whole = { ...own, ...wire };
  for (const [name, value] of Object.entries(own)) {
    const [inner, sent] = [asRecord(value), asRecord(wire[name])];
    if (inner !== undefined && sent !== undefined) whole[name] = { ...inner, ...sent };
  }
  return whole;
}

/** Returns whether a field without a counterpart in the IR says the same as its absence. */
export function isSwitchedOff(value: unknown): boolean {
  return value === null || value === undefined || value === false;
}

/** Returns the names of the fields of a schema. */
export function fieldsIn(...schemas: ReadonlyArray<z.ZodObject>): ReadonlySet<string> {
  return new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));
}

/** Returns the fields of an `extra` if they belong to this dialect. */
export function ownFields(dialect: ClientDialectId, extra: Extra | undefined): Wire | undefined {
  return extra?.dialect === dialect ? extra.fields : undefined;
}

/** Objects in an `extra` that contain the rest of a field; their members are reported one by one. */
const containers = new Set([
  "generationConfig",
  "text",
  "reasoning",
  "output_config",
  "metadata",
  "stream_options",
  "thinking",
  "toolConfig",
]);

/** Fields that an `extra` keeps for its own dialect although they are also translated for others. */
const translated = new Set([
  "generationConfig.thinkingConfig",
  "toolConfig.functionCallingConfig",
  "thinking.type",
  "thinking.budget_tokens",
  "metadata.user_id",
]);

/**
 * Returns the names of fields that only another dialect can express, nested ones with their path.
 * Fields that change nothing are ignored.
 */
export function foreignFields(extra: Extra | undefined, own?: DialectId): string[] {
  if (extra === undefined || extra.dialect === own) return [];
  return Object.entries(extra.fields).flatMap(([name, value]) => {
    if (isDefault(name, value)) return [];
    const inner = containers.has(name) ? asRecord(value) : undefined;
    if (inner === undefined) return [name];
    return Object.entries(inner).flatMap(([key, each]) => {
      const path = `${name}.${key}`;
      return translated.has(path) || isDefault(path, each) ? [] : [path];
    });
  });
}

/** Returns the caller's name for a part that could not be sent; a foreign part is named by its own type. */
export function nameOf(part: Part): string {
  if (part.type !== "foreign") return part.type;
  const { type } = part.extra.fields;
  return typeof type === "string" ? type : (Object.keys(part.extra.fields)[0] ?? part.type);
}

/**
 * Returns the object without the keys whose value is undefined, so that it can be compared and counted. It
 * copies, because deleting keys turns an object into a hash table, and slows down every later access to it.
 */
export function compact<T extends object>(value: T): T {
  const kept: Partial<T> = {};
  for (const key of Object.keys(value) as Array<keyof T>) {
    const each = value[key];
    if (each === undefined) continue;
    // A caller may send a field of this name. An assignment would change the prototype instead.
    if (key === "__proto__")
      Object.defineProperty(kept, key, {
        value: each,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else kept[key] = each;
  }
  return kept as T;
}

/**
 * Returns call arguments from a model as an object, for formats that require one. Invalid JSON becomes `{}`.
 */
export function inputObject(input: string): Wire {
  return parseRecord(input) ?? {};
}

/**
 * Does the same for arguments that a caller sent back in the history.
 * Throws `invalidRequest` for invalid JSON.
 */
export function callerInputObject(input: string, message: number): Wire {
  if (input.trim() === "") return {};
  const value = parseRecord(input);
  if (value !== undefined) return value;
  const path = `messages.${message}`;
  throw invalidRequest({ reason: "tool_arguments", field: path });
}

const wireNames: Partial<Record<keyof ChatRequest, string>> = {
  maxOutputTokens: "max_tokens",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  topLogprobs: "top_logprobs",
  responseFormat: "response_format",
  serviceTier: "service_tier",
  parallelToolCalls: "parallel_tool_calls",
  serverTools: "server_tools",
};

/** Returns those of the fields that the request sets and that change something, by the name a caller knows. */
export function listUnsupportedSettings(
  request: ChatRequest,
  fields: ReadonlyArray<keyof ChatRequest>,
): string[] {
  return fields.flatMap((field) => {
    const name = wireNames[field] ?? field;
    return isDefault(name, request[field]) ? [] : [name];
  });
}

/** Returns call arguments as text; a few providers send them as an object. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
