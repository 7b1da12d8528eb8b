import type { Address, Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Message, Reasoning, ResponseFormat, ToolChoice } from "#dialects/ir.ts";
import { effortOf, effortOfBudget, summaryOf } from "#dialects/reasoning/effort.ts";
import { filterAllowedTools } from "#dialects/tools/tool-names.ts";
import { listUnsupportedAttributes } from "#dialects/unsupported-attributes.ts";
import { openaiTier } from "#dialects/usage/service-tier.ts";
import {
  asRecord,
  compact,
  extraOf,
  fieldsIn,
  foreignFields,
  ownFields,
  parseAt,
  listUnsupportedSettings,
} from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { decodeInput } from "./decode-items.ts";
import { encodeInput } from "./encode-items.ts";
import { flatName } from "./grouped.ts";
import { repeatedFields } from "./repeat.ts";
import { type ResponsesRequest, items, responsesRequest } from "./schema.ts";
import { type OfferedTools, decodeTools, encodeToolChoice, encodeTools, ownNames } from "./tools.ts";

const known = fieldsIn(responsesRequest);
const logprobsInclude = "message.output_text.logprobs";
const thoughtsInclude = "reasoning.encrypted_content";

/** Returns `undefined` for a form that only this dialect has; it then stays in `extra`. */
function decodeToolChoice(choice: ResponsesRequest["tool_choice"]): ToolChoice | undefined {
  if (!choice) return undefined;
  if (typeof choice === "string") return { type: choice };
  const name = choice["name"];
  if (choice.type === "function" || choice.type === "custom") {
    if (typeof name === "string" && name !== "")
      return { type: "tool", name: flatName(choice["namespace"], name) };
    throw invalidRequest({ reason: "field_required", field: "tool_choice.name" });
  }
  if (choice.type === "allowed_tools") return { type: choice["mode"] === "required" ? "required" : "auto" };
  return undefined;
}

function decodeFormat(wire: ResponsesRequest): ResponseFormat | undefined {
  const format = wire.text?.format;
  if (!format) return undefined;
  if (format.type === "text") return { type: "text" };
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema" || !format.schema) return undefined;
  return compact<ResponseFormat>({
    type: "json-schema",
    schema: format.schema,
    name: format.name ?? undefined,
    description: format.description ?? undefined,
    strict: format.strict ?? undefined,
  });
}

function decodeReasoning(wire: ResponsesRequest): Reasoning | undefined {
  const effort = effortOf(wire.reasoning?.effort);
  const summary = summaryOf(wire.reasoning?.summary);
  return effort === undefined && summary === undefined ? undefined : compact<Reasoning>({ effort, summary });
}

/** Returns fields that the IR cannot fully represent. In `extra`, they complete the IR. */
function decodeExtra(body: ResponsesRequest): ChatRequest["extra"] {
  const fields: Wire = extraOf("openai-responses", body, known)?.fields ?? {};
  const { format, ...text } = body.text ?? {};
  if (format && !decodeFormat(body)) text["format"] = format;
  if (Object.keys(text).length > 0) fields["text"] = text;
  const { effort, summary, ...reasoning } = body.reasoning ?? {};
  if (effort && !effortOf(effort)) reasoning["effort"] = effort;
  if (summary && !summaryOf(summary)) reasoning["summary"] = summary;
  if (Object.keys(reasoning).length > 0) fields["reasoning"] = reasoning;
  const include = (body.include ?? []).filter((each) => each !== logprobsInclude);
  if (include.length > 0) fields["include"] = include;
  const choice = body.tool_choice;
  const isNamed = typeof choice === "string" || choice?.type === "function" || choice?.type === "custom";
  if (choice && !isNamed) fields["tool_choice"] = choice;
  return Object.keys(fields).length === 0 ? undefined : { dialect: "openai-responses", fields };
}

/** Returns the names in a list of allowed tools; empty for any other tool choice. */
function allowedNames(choice: ResponsesRequest["tool_choice"]): Array<string | undefined> {
  const list = typeof choice === "object" && choice?.type === "allowed_tools" ? choice["tools"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.map((each) => {
    const tool = asRecord(each);
    const name = tool?.["name"];
    return typeof name === "string" ? flatName(tool?.["namespace"], name) : undefined;
  });
}

/** Returns all offered tools, including those within the input, each with the path of its list. */
function toolsOf(body: ResponsesRequest): OfferedTools[] {
  const offered: OfferedTools[] = [{ at: "tools", tools: body.tools ?? [] }];
  if (typeof body.input === "string") return offered;
  for (const [index, wire] of body.input.entries()) {
    if (wire.type !== "additional_tools" && wire.type !== "tool_search_output") continue;
    const at = `input.${index}`;
    const { tools } = parseAt(items.additional_tools, wire, at);
    offered.push({ at: `${at}.tools`, tools, inConversation: wire.type === "tool_search_output" });
  }
  return offered;
}

export function decodeRequest(value: unknown, address: Address): ChatRequest {
  const body = parseAt(responsesRequest, value, "");
  const model = address.model ?? body.model;
  if (!model) throw invalidRequest({ reason: "field_required", field: "model" });
  const opening: Message[] = body.instructions
    ? [{ role: "system", parts: [{ type: "text", text: body.instructions }] }]
    : [];
  const wantsLogprobs = body.include?.includes(logprobsInclude) === true;
  const { tools, serverTools } = decodeTools(toolsOf(body));
  return compact<ChatRequest>({
    model,
    stream: body.stream ?? address.stream ?? false,
    messages: [...opening, ...decodeInput(body.input)],
    tools: filterAllowedTools(tools, allowedNames(body.tool_choice)),
    serverTools,
    toolChoice: decodeToolChoice(body.tool_choice),
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    maxOutputTokens: body.max_output_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    logprobs: wantsLogprobs || undefined,
    topLogprobs: body.top_logprobs ?? undefined,
    responseFormat: decodeFormat(body),
    reasoning: decodeReasoning(body),
    serviceTier: body.service_tier ?? undefined,
    user: body.user ?? undefined,
    includeUsage: true,
    repeat: repeatedFields(body),
    extra: decodeExtra(body),
  });
}

function encodeFormat(format: ResponseFormat): Wire {
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  const { name = "answer", description, schema, strict } = format;
  return compact<Wire>({ type: "json_schema", name, description, schema, strict });
}

function encodeReasoning(reasoning: Reasoning | undefined): Wire | undefined {
  if (reasoning === undefined) return undefined;
  const effort = reasoning.effort ?? effortOfBudget(reasoning.budgetTokens);
  const wire = compact<Wire>({ effort, summary: reasoning.summary });
  return Object.keys(wire).length === 0 ? undefined : wire;
}

/** Merges both objects; returns undefined when the result is empty. */
function mergeObjects(own: unknown, ours: Wire | undefined): Wire | undefined {
  const both = { ...asRecord(own), ...ours };
  return Object.keys(both).length === 0 ? undefined : both;
}

/**
 * Returns the `include` list. Callers of other dialects store nothing at the provider, so their reasoning
 * must travel with the request.
 */
function encodeInclude(request: ChatRequest, own: Wire | undefined): string[] | undefined {
  const include = new Set<string>((own?.["include"] as string[] | undefined) ?? []);
  if (request.logprobs === true) include.add(logprobsInclude);
  const thinks = request.reasoning !== undefined && request.reasoning.effort !== "none";
  if (own === undefined && thinks) include.add(thoughtsInclude);
  return include.size === 0 ? undefined : [...include];
}

/** Fields that OpenAI's two dialects share. */
const shared = ["prompt_cache_key", "prompt_cache_retention", "safety_identifier"];

/** Returns the fields of a client of chat completions that this dialect has too. */
function fromChat(extra: ChatRequest["extra"]): { fields: Wire; text: Wire } {
  const fields = ownFields("openai-chat", extra) ?? {};
  const { verbosity } = fields;
  return {
    fields: Object.fromEntries(shared.filter((name) => name in fields).map((name) => [name, fields[name]])),
    text: typeof verbosity === "string" ? { verbosity } : {},
  };
}

export function encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] } {
  const dropped = new Set<string>();
  const own = ownFields("openai-responses", request.extra);
  const tools = encodeTools(request, dropped);
  const chat = fromChat(request.extra);
  const format = request.responseFormat;
  const text = { ...chat.text, ...(format !== undefined && { format: encodeFormat(format) }) };
  const body = compact<Wire>({
    model: request.model,
    ...encodeInput(request.messages, ownNames(request), dropped),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? encodeToolChoice(request) : undefined,
    parallel_tool_calls: tools.length > 0 ? request.parallelToolCalls : undefined,
    max_output_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_logprobs: request.topLogprobs,
    service_tier: openaiTier(request.serviceTier),
    user: request.user,
    store: false,
    ...chat.fields,
    ...own,
    text: mergeObjects(own?.["text"], text),
    reasoning: mergeObjects(own?.["reasoning"], encodeReasoning(request.reasoning)),
    include: encodeInclude(request, own),
    stream: request.stream || undefined,
  });
  const silent = ["topK", "stop", "seed", "presencePenalty", "frequencyPenalty"] as const;
  for (const field of listUnsupportedSettings(request, silent)) dropped.add(field);
  if (request.n !== undefined && request.n > 1) dropped.add("n");
  if (body["service_tier"] === undefined)
    for (const field of listUnsupportedSettings(request, ["serviceTier"])) dropped.add(field);
  for (const name of listUnsupportedAttributes(request, ["cache", "errors", "names"])) dropped.add(name);
  const sent = new Set(Object.keys({ ...chat.fields, ...chat.text }));
  for (const field of foreignFields(request.extra, "openai-responses"))
    if (!sent.has(field)) dropped.add(field);
  return { body, dropped: [...dropped] };
}
