import { issueOf } from "@gateway/shared/errors/issue";
import type { z, ZodType } from "zod";
import { GatewayError, invalidRequest } from "#errors.ts";
import type { Wire } from "./dialect.ts";
import type { ChatRequest, DialectId, Extra, Part } from "./ir.ts";

/** Reading JSON that someone else wrote: parse at the edge, say what is wrong, never throw anything else. */

export function asRecord(value: unknown): Wire | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Wire) : undefined;
}

/** The value, or undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function parseRecord(text: string): Wire | undefined {
  return asRecord(parseJson(text));
}

/** What a caller sent, checked. Throws `invalidRequest` with the path of the first offending field. */
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

/** What a provider sent, or undefined when it is not even roughly what was promised. */
export function readAs<T>(schema: ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** A provider's whole answer; throws `upstream_failed` when it cannot be read. */
export function parseAnswer<T>(schema: ZodType<T>, value: unknown): T {
  const answer = readAs(schema, value);
  if (answer === undefined) throw new GatewayError("upstream_failed", { reason: "upstream_unreadable" });
  return answer;
}

/** The fields that are not among the known ones, as `extra` of this dialect. */
export function extraOf(dialect: DialectId, body: Wire, known: ReadonlySet<string>): Extra | undefined {
  let fields: Wire | undefined;
  for (const key of Object.keys(body)) {
    if (known.has(key) || body[key] === undefined) continue;
    fields ??= {};
    fields[key] = body[key];
  }
  return fields === undefined ? undefined : { dialect, fields };
}

/** The fields of an `extra`, if they are this dialect's own. */
export function ownFields(dialect: DialectId, extra: Extra | undefined): Wire | undefined {
  return extra?.dialect === dialect ? extra.fields : undefined;
}

/** Objects in an `extra` that hold what is left of a field; their members are named one by one. */
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

/** What an `extra` keeps for its own dialect though others are told it in their own form. */
const translated = new Set([
  "generationConfig.thinkingConfig",
  "toolConfig.functionCallingConfig",
  "thinking.type",
  "thinking.budget_tokens",
  "metadata.user_id",
]);

const thoughts = "reasoning.encrypted_content";

/** Whether another dialect does the same unasked: nothing is stored, and thoughts come with what proves them. */
function isDoneAnyway(name: string, value: unknown): boolean {
  if (name === "store") return value === false;
  if (name === "thinking.display") return value === "summarized";
  return name === "include" && Array.isArray(value) && value.every((each) => each === thoughts);
}

/** The names of what only another dialect can say, nested ones with their path. A field that is null says nothing. */
export function foreignFields(extra: Extra | undefined, own?: DialectId): string[] {
  if (extra === undefined || extra.dialect === own) return [];
  return Object.entries(extra.fields).flatMap(([name, value]) => {
    if (value === null || isDoneAnyway(name, value)) return [];
    const inner = containers.has(name) ? asRecord(value) : undefined;
    if (inner === undefined) return [name];
    return Object.entries(inner).flatMap(([key, each]) => {
      const path = `${name}.${key}`;
      return each === null || translated.has(path) || isDoneAnyway(path, each) ? [] : [path];
    });
  });
}

/** What a caller would call a part that could not be sent: a foreign one by its own type. */
export function nameOf(part: Part): string {
  if (part.type !== "foreign") return part.type;
  const { type } = part.extra.fields;
  return typeof type === "string" ? type : (Object.keys(part.extra.fields)[0] ?? part.type);
}

/** Without the keys whose value is undefined, so that what is sent can be compared and counted. */
export function compact<T extends object>(value: T): T {
  for (const key of Object.keys(value) as Array<keyof T>) {
    if (value[key] === undefined) delete value[key];
  }
  return value;
}

/** Arguments that a model wrote, for a wire that wants them as an object. What is not JSON becomes `{}`. */
export function inputObject(input: string): Wire {
  return parseRecord(input) ?? {};
}

/** The same for arguments that a caller sent back in the history: what is not JSON is the caller's mistake. */
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

/** Those of the fields that the request sets, by the name a caller would know. */
export function unsaid(request: ChatRequest, fields: ReadonlyArray<keyof ChatRequest>): string[] {
  return fields.filter((field) => request[field] !== undefined).map((field) => wireNames[field] ?? field);
}

/** Arguments of a call as text: a few providers write them as the object that they are. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
