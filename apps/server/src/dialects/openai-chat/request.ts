import type { z } from "zod";
import { withCache } from "#dialects/cache-control.ts";
import type { Address, Wire } from "#dialects/dialect.ts";
import type {
  ChatRequest,
  Extra,
  Reasoning,
  ResponseFormat,
  ServerTool,
  Tool,
  ToolChoice,
} from "#dialects/ir.ts";
import { effortOf, effortOfBudget, summaryOf } from "#dialects/reasoning/effort.ts";
import { filterAllowedTools } from "#dialects/tools/tool-names.ts";
import { listUnsupportedAttributes } from "#dialects/unsupported-attributes.ts";
import { openaiTier } from "#dialects/usage/service-tier.ts";
import {
  addOwnFields,
  asRecord,
  compact,
  extraOf,
  fieldsIn,
  foreignFields,
  ownFields,
  parseAt,
  listUnsupportedSettings,
  withExtra,
} from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { decodeCustomTool } from "./custom-tools.ts";
import { decodeMessages } from "./decode-messages.ts";
import { encodeMessages } from "./encode-messages.ts";
import { type ChatWireRequest, chatFunction, chatRequest } from "./schema.ts";

const known = fieldsIn(chatRequest);
const knownOfFunction = fieldsIn(chatFunction);

function decodeFunction(wire: z.infer<typeof chatFunction>): Tool {
  const tool = compact<Tool>({
    name: wire.name,
    description: wire.description ?? undefined,
    schema: wire.parameters ?? undefined,
    strict: wire.strict ?? undefined,
  });
  return withExtra(tool, "openai-chat", wire, knownOfFunction);
}

/** Decodes tools. Functions become tools of the IR; every other type belongs to this dialect. */
function decodeTools(wire: ChatWireRequest): Pick<ChatRequest, "tools" | "serverTools"> {
  if (!wire.tools && !wire.functions && !wire.web_search_options) return {};
  const tools = (wire.functions ?? []).map(decodeFunction);
  const serverTools: ServerTool[] = [];
  for (const [index, tool] of (wire.tools ?? []).entries()) {
    const custom = tool.type === "custom" ? decodeCustomTool(tool["custom"], `tools.${index}`) : undefined;
    if (custom !== undefined) tools.push(custom);
    else if (tool.function) tools.push(withCache(decodeFunction(tool.function), tool.cache_control));
    else if (tool.type === undefined || tool.type === null || tool.type === "function") {
      throw invalidRequest({ reason: "field_required", field: `tools.${index}.function` });
    } else serverTools.push({ kind: "other", extra: { dialect: "openai-chat", fields: tool } });
  }
  if (wire.web_search_options) {
    const fields = { web_search_options: wire.web_search_options };
    serverTools.push({ kind: "web-search", extra: { dialect: "openai-chat", fields } });
  }
  return {
    tools: filterAllowedTools(tools.length > 0 ? tools : undefined, allowedNames(wire)),
    serverTools: serverTools.length > 0 ? serverTools : undefined,
  };
}

/** Returns `undefined` for a form that only this dialect has; it then stays in `extra`. */
function decodeToolChoice(wire: ChatWireRequest): ToolChoice | undefined {
  const choice = wire.tool_choice;
  // Mistral's value for OpenAI's "required".
  if (typeof choice === "string") return { type: choice === "any" ? "required" : choice };
  if (choice) {
    if (choice.type === "function" || !choice.type) {
      const name = asRecord(choice["function"])?.["name"];
      if (typeof name === "string") return { type: "tool", name };
      throw invalidRequest({ reason: "field_required", field: "tool_choice.function.name" });
    }
    const custom = asRecord(choice["custom"])?.["name"];
    if (choice.type === "custom" && typeof custom === "string") return { type: "tool", name: custom };
    if (choice.type !== "allowed_tools") return undefined;
    const mode = asRecord(choice["allowed_tools"])?.["mode"];
    return { type: mode === "required" ? "required" : "auto" };
  }
  if (typeof wire.function_call === "string") return { type: wire.function_call };
  if (wire.function_call) return { type: "tool", name: wire.function_call.name };
  return undefined;
}

function allowedNames({ tool_choice: choice }: ChatWireRequest): Array<string | undefined> {
  const list = typeof choice === "object" ? asRecord(choice?.["allowed_tools"])?.["tools"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.map((each) => {
    const tool = asRecord(each);
    const name = asRecord(tool?.["function"] ?? tool?.["custom"])?.["name"];
    return typeof name === "string" ? name : undefined;
  });
}

function decodeFormat(format: ChatWireRequest["response_format"]): ResponseFormat | undefined {
  if (!format) return undefined;
  if (format.type === "text") return { type: "text" };
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") return undefined;
  const wanted = format.json_schema;
  if (!wanted?.schema) return { type: "json" };
  return compact<ResponseFormat>({
    type: "json-schema",
    schema: wanted.schema,
    name: wanted.name ?? undefined,
    description: wanted.description ?? undefined,
    strict: wanted.strict ?? undefined,
  });
}

/** Returns whether thinking is switched on without an amount. */
function wantsSome({ reasoning, reasoning_effort: effort }: ChatWireRequest): boolean {
  return reasoning?.enabled === true && !reasoning.max_tokens && !reasoning.effort && !effort;
}

function decodeReasoning(wire: ChatWireRequest): Reasoning | undefined {
  const { reasoning } = wire;
  if (!reasoning && !wire.reasoning_effort) return undefined;
  const effort = effortOf(
    wire.reasoning_effort ?? reasoning?.effort ?? (reasoning?.enabled === false ? "none" : null),
  );
  const decoded = compact<Reasoning>({
    effort,
    budgetTokens: reasoning?.max_tokens ?? undefined,
    adaptive: wantsSome(wire) || undefined,
    summary: summaryOf(reasoning?.summary),
  });
  return Object.keys(decoded).length === 0 ? undefined : decoded;
}

function isOwnChoice(choice: ChatWireRequest["tool_choice"]): boolean {
  return typeof choice === "object" && !!choice?.type && !["function", "custom"].includes(choice.type);
}

/** Returns fields that the IR cannot fully represent. In `extra`, they override the IR. */
function decodeExtra(body: ChatWireRequest): ChatRequest["extra"] {
  const extra = extraOf("openai-chat", body, known);
  const fields: Wire = extra?.fields ?? {};
  const { include_usage: _, ...options } = body.stream_options ?? {};
  if (Object.keys(options).length > 0) fields["stream_options"] = options;
  if (body.reasoning_effort && !effortOf(body.reasoning_effort))
    fields["reasoning_effort"] = body.reasoning_effort;
  if (body.response_format && !decodeFormat(body.response_format))
    fields["response_format"] = body.response_format;
  const choice = body.tool_choice;
  if (isOwnChoice(choice)) fields["tool_choice"] = choice;
  return Object.keys(fields).length === 0 ? undefined : { dialect: "openai-chat", fields };
}

/** Returns the larger of two limits: some providers know only one of them. */
function limitOf({ max_completion_tokens: limit, max_tokens: older }: ChatWireRequest): number | undefined {
  return limit && older ? Math.max(limit, older) : (limit ?? older ?? undefined);
}

export function decodeRequest(value: unknown, address: Address): ChatRequest {
  const body = parseAt(chatRequest, value, "");
  const model = address.model ?? body.model;
  if (!model) throw invalidRequest({ reason: "field_required", field: "model" });
  const stop = typeof body.stop === "string" ? [body.stop] : body.stop;
  const { tools, serverTools } = decodeTools(body);
  return compact<ChatRequest>({
    model,
    stream: body.stream ?? address.stream ?? false,
    messages: decodeMessages(body.messages),
    tools,
    serverTools,
    toolChoice: decodeToolChoice(body),
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    maxOutputTokens: limitOf(body),
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k && body.top_k > 0 ? body.top_k : undefined,
    stop: stop && stop.length > 0 ? stop : undefined,
    seed: body.seed ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    logprobs: body.logprobs ?? undefined,
    topLogprobs: body.top_logprobs ?? undefined,
    n: body.n ?? undefined,
    responseFormat: decodeFormat(body.response_format),
    reasoning: decodeReasoning(body),
    serviceTier: body.service_tier ?? undefined,
    user: body.user ?? undefined,
    includeUsage: body.stream_options?.include_usage ?? undefined,
    repeat: offeredFunctions(body),
    extra: decodeExtra(body),
  });
}

function encodeTool(tool: Tool): Wire {
  const { name, description, schema, strict, extra } = tool;
  const wire = compact<Wire>({ name, description, parameters: schema, strict });
  return { type: "function", function: addOwnFields("openai-chat", wire, extra) };
}

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  if (choice === undefined) return undefined;
  return choice.type === "tool" ? { type: "function", function: { name: choice.name } } : choice.type;
}

function encodeFormat(format: ResponseFormat | undefined): Wire | undefined {
  if (format === undefined) return undefined;
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  const { name = "answer", description, schema, strict } = format;
  return { type: "json_schema", json_schema: compact({ name, description, schema, strict }) };
}

/** Encodes the effort. This format has no budget, so a budget becomes the nearest effort. */
function encodeEffort(reasoning: Reasoning | undefined): string | undefined {
  if (reasoning === undefined) return undefined;
  return reasoning.effort ?? effortOfBudget(reasoning.budgetTokens);
}

function encodeServerTools(request: ChatRequest, dropped: Set<string>): { tools: Wire[]; fields: Wire } {
  const tools: Wire[] = [];
  const fields: Wire = {};
  for (const tool of request.serverTools ?? []) {
    const own = ownFields("openai-chat", tool.extra);
    if (own === undefined) dropped.add(tool.kind === "other" ? "server_tools" : tool.kind);
    else if ("type" in own) tools.push(own);
    else Object.assign(fields, own);
  }
  return { tools, fields };
}

function encodeStreamOptions(request: ChatRequest, own: Wire | undefined): Wire | undefined {
  if (!request.stream) return undefined;
  return { ...asRecord(own?.["stream_options"]), include_usage: true };
}

export function encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] } {
  const dropped = new Set<string>();
  const own = ownFields("openai-chat", request.extra);
  const server = encodeServerTools(request, dropped);
  const tools = [...(request.tools ?? []).map(encodeTool), ...server.tools];
  const body = compact<Wire>({
    model: request.model,
    messages: encodeMessages(request.messages, dropped),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? encodeToolChoice(request.toolChoice) : undefined,
    parallel_tool_calls: tools.length > 0 ? request.parallelToolCalls : undefined,
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    logprobs: request.logprobs,
    top_logprobs: request.topLogprobs,
    n: request.n,
    response_format: encodeFormat(request.responseFormat),
    reasoning_effort: encodeEffort(request.reasoning),
    service_tier: openaiTier(request.serviceTier),
    user: request.user,
    ...server.fields,
    ...own,
    stream: request.stream || undefined,
    stream_options: encodeStreamOptions(request, own),
  });
  for (const field of listUnsupportedSettings(request, ["topK"])) dropped.add(field);
  if (body["service_tier"] === undefined)
    for (const field of listUnsupportedSettings(request, ["serviceTier"])) dropped.add(field);
  for (const name of listUnsupportedAttributes(request, ["cache", "errors"])) dropped.add(name);
  for (const field of foreignFields(request.extra, "openai-chat")) dropped.add(field);
  return { body, dropped: [...dropped] };
}

/** Returns the functions of a client of the format before tools. */
function offeredFunctions({ functions, tools }: ChatWireRequest): Extra | undefined {
  if (!functions?.length || tools?.length) return undefined;
  return { dialect: "openai-chat", fields: { functions } };
}

/** Returns whether the client receives calls in the format before tools: one per message, without an id. */
export function wantsOldCalls({ repeat }: Pick<ChatRequest, "repeat">): boolean {
  return ownFields("openai-chat", repeat)?.["functions"] !== undefined;
}
