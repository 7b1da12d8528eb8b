import type { z } from "zod";
import { describedSchema } from "#dialects/answer-schema.ts";
import { append } from "#dialects/append.ts";
import { withCache } from "#dialects/cache-control.ts";
import type { Address, Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Message, ServerTool, Tool, ToolChoice } from "#dialects/ir.ts";
import { effortOf } from "#dialects/reasoning/effort.ts";
import { approximate, carriedOptions } from "#dialects/tools/server-tool-options.ts";
import { listUnsupportedAttributes } from "#dialects/unsupported-attributes.ts";
import { anthropicTier } from "#dialects/usage/service-tier.ts";
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
import { decodeBlocks, decodeMessage } from "./decode-messages.ts";
import { encodeCache, encodeMessages } from "./encode-messages.ts";
import { type MessagesRequest, messagesRequest, tool } from "./schema.ts";
import { decodeReasoning, encodeThinking, findUnsupportedThinking } from "./thinking.ts";

/** Output limit when the caller set none; this API requires one. */
export const defaultMaxTokens = 8192;

const known = fieldsIn(messagesRequest);
const knownOfTool = fieldsIn(tool);

function kindOf(type: string): ServerTool["kind"] {
  if (type.startsWith("web_search_")) return "web-search";
  if (type.startsWith("code_execution_")) return "code-execution";
  return "other";
}

function decodeTool(wire: z.infer<typeof tool>, at: string): Tool {
  if (!wire.name) throw invalidRequest({ reason: "field_required", field: `${at}.name` });
  const decoded = compact<Tool>({
    name: wire.name,
    description: wire.description ?? undefined,
    schema: wire.input_schema ?? undefined,
    strict: wire.strict ?? undefined,
  });
  return withExtra(withCache(decoded, wire.cache_control), "anthropic", wire, knownOfTool);
}

function decodeTools(wire: MessagesRequest): Pick<ChatRequest, "tools" | "serverTools"> {
  const tools: Tool[] = [];
  const serverTools: ServerTool[] = [];
  for (const [index, each] of (wire.tools ?? []).entries()) {
    if (!each.type || each.type === "custom") tools.push(decodeTool(each, `tools.${index}`));
    else serverTools.push({ kind: kindOf(each.type), extra: { dialect: "anthropic", fields: each } });
  }
  return {
    tools: tools.length > 0 ? tools : undefined,
    serverTools: serverTools.length > 0 ? serverTools : undefined,
  };
}

function decodeToolChoice(choice: MessagesRequest["tool_choice"]): ToolChoice | undefined {
  if (!choice) return undefined;
  if (choice.type === "tool") return { type: "tool", name: choice.name };
  return { type: choice.type === "any" ? "required" : choice.type };
}

function decodeParallel(choice: MessagesRequest["tool_choice"]): boolean | undefined {
  if (!choice || choice.type === "none") return undefined;
  return typeof choice.disable_parallel_tool_use === "boolean"
    ? !choice.disable_parallel_tool_use
    : undefined;
}

/** Returns fields that the IR cannot fully represent. In `extra`, they override the IR. */
function decodeExtra(body: MessagesRequest): ChatRequest["extra"] {
  const fields: Wire = extraOf("anthropic", body, known)?.fields ?? {};
  const thinking = findUnsupportedThinking(body);
  if (thinking !== undefined) fields["thinking"] = thinking;
  const { effort, format, ...output } = body.output_config ?? {};
  if (effort && !effortOf(effort)) output["effort"] = effort;
  if (format && !format.schema) output["format"] = format;
  if (Object.keys(output).length > 0) fields["output_config"] = output;
  if (body.max_tokens === 0) fields["max_tokens"] = 0;
  const { user_id: _, ...metadata } = body.metadata ?? {};
  if (Object.keys(metadata).length > 0) fields["metadata"] = body.metadata;
  return Object.keys(fields).length === 0 ? undefined : { dialect: "anthropic", fields };
}

export function decodeRequest(value: unknown, address: Address): ChatRequest {
  const body = parseAt(messagesRequest, value, "");
  const model = address.model ?? body.model;
  if (!model) throw invalidRequest({ reason: "field_required", field: "model" });
  const system = decodeBlocks(body.system, "system");
  const messages: Message[] = system.length === 0 ? [] : [{ role: "system", parts: system }];
  for (const [index, message] of body.messages.entries()) {
    append(messages, decodeMessage(message, `messages.${index}`));
  }
  const format = body.output_config?.format;
  return compact<ChatRequest>({
    model,
    stream: body.stream ?? address.stream ?? false,
    messages,
    ...decodeTools(body),
    toolChoice: decodeToolChoice(body.tool_choice),
    parallelToolCalls: decodeParallel(body.tool_choice),
    maxOutputTokens: body.max_tokens === 0 ? 1 : (body.max_tokens ?? undefined),
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    stop: body.stop_sequences && body.stop_sequences.length > 0 ? body.stop_sequences : undefined,
    responseFormat: format?.schema ? { type: "json-schema", schema: format.schema } : undefined,
    reasoning: decodeReasoning(body),
    serviceTier: body.service_tier ?? undefined,
    user: body.metadata?.user_id ?? undefined,
    includeUsage: true,
    extra: decodeExtra(body),
  });
}

/** Tools of other providers that this API has too, in their oldest version, which every model supports. */
const unifiedTools: Partial<Record<ServerTool["kind"], Wire>> = {
  "web-search": { type: "web_search_20250305", name: "web_search" },
  "code-execution": { type: "code_execution_20250825", name: "code_execution" },
};

const searchOptions = new Set(["allowedDomains", "blockedDomains", "maxUses", "location"] as const);
const noOptions = new Set<never>();

/** Encodes a search tool of another dialect. This API accepts one list of domains, not both. */
function encodeSearch(tool: ServerTool, dropped: Set<string>): Wire {
  const carries = tool.kind === "web-search" ? searchOptions : noOptions;
  const { allowedDomains, blockedDomains, maxUses, location } = carriedOptions(tool, carries, dropped);
  const isBoth = allowedDomains !== undefined && blockedDomains !== undefined;
  if (isBoth) dropped.add("tools.blocked_domains");
  return compact<Wire>({
    allowed_domains: allowedDomains,
    blocked_domains: isBoth ? undefined : blockedDomains,
    max_uses: maxUses,
    user_location: approximate(location),
  });
}

function encodeTools(request: ChatRequest, dropped: Set<string>): Wire[] {
  const tools = (request.tools ?? []).map(({ name, description, schema, strict, cache, extra }) => {
    const wire = compact<Wire>({
      name,
      description,
      input_schema: { type: "object", ...(schema ?? { properties: {} }) },
      strict,
      ...encodeCache(cache),
    });
    return addOwnFields("anthropic", wire, extra);
  });
  for (const tool of request.serverTools ?? []) {
    const { kind } = tool;
    const own = ownFields("anthropic", tool.extra);
    const wire = own ?? unifiedTools[kind];
    if (wire === undefined) dropped.add(kind === "other" ? "server_tools" : kind);
    else tools.push(own ?? { ...wire, ...encodeSearch(tool, dropped) });
  }
  return tools;
}

/**
 * Returns definitions for all tools in the history.
 * The provider requires them even if the caller offers no tools any more.
 */
function rememberedTools(messages: Message[]): Wire[] {
  const names = new Set<string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === "tool-call") names.add(part.name);
  return [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
}

function encodeToolChoice(request: ChatRequest): Wire | undefined {
  const { toolChoice: choice, parallelToolCalls: parallel } = request;
  if (choice?.type === "none") return { type: "none" };
  const disable = parallel === undefined ? {} : { disable_parallel_tool_use: !parallel };
  if (choice?.type === "tool") return { type: "tool", name: choice.name, ...disable };
  if (choice?.type === "required") return { type: "any", ...disable };
  return choice === undefined && parallel === undefined ? undefined : { type: "auto", ...disable };
}

function encodeOutput(request: ChatRequest, effort: Wire | undefined, own: unknown): Wire | undefined {
  const format = request.responseFormat;
  const wanted =
    format?.type === "json-schema"
      ? { format: { type: "json_schema", schema: describedSchema(format) } }
      : {};
  const output = { ...asRecord(own), ...effort, ...wanted };
  return Object.keys(output).length === 0 ? undefined : output;
}

/**
 * Encodes sampling within the limits of this API: no temperature above 1,
 * and no sampling parameters with a thinking budget.
 */
function encodeSampling(request: ChatRequest, thinks: boolean, dropped: Set<string>): Wire {
  const { temperature, topP, topK } = request;
  if (!thinks) {
    return {
      temperature: temperature === undefined ? undefined : Math.min(1, temperature),
      top_p: topP,
      top_k: topK,
    };
  }
  if (temperature !== undefined && temperature !== 1) dropped.add("temperature");
  if (topK !== undefined) dropped.add("top_k");
  const isTopPAllowed = topP !== undefined && topP >= 0.95;
  if (topP !== undefined && !isTopPAllowed) dropped.add("top_p");
  return { temperature: temperature === 1 ? 1 : undefined, top_p: isTopPAllowed ? topP : undefined };
}

function withoutField(fields: Wire | undefined, name: string): Wire {
  const { [name]: _gone, ...rest } = fields ?? {};
  return rest;
}

function encodeStop(stop: string[] | undefined, dropped: Set<string>): string[] | undefined {
  const usable = stop?.filter((sequence) => sequence.trim() !== "");
  if (usable?.length !== stop?.length) dropped.add("stop");
  return usable?.length === 0 ? undefined : usable;
}

export function encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] } {
  const dropped = new Set<string>();
  const own = ownFields("anthropic", request.extra);
  const { thinking, output, maxTokens, refused } = encodeThinking(
    request,
    request.maxOutputTokens ?? defaultMaxTokens,
  );
  if (refused) dropped.add("reasoning");
  const offered = encodeTools(request, dropped);
  const tools = offered.length > 0 ? offered : rememberedTools(request.messages);
  const toolChoice = offered.length > 0 ? encodeToolChoice(request) : { type: "none" };
  const body = compact<Wire>({
    model: request.model,
    max_tokens: maxTokens,
    ...encodeMessages(request.messages, dropped),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toolChoice : undefined,
    ...encodeSampling(request, thinking?.["type"] === "enabled", dropped),
    stop_sequences: encodeStop(request.stop, dropped),
    thinking,
    service_tier: anthropicTier(request.serviceTier),
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    stream: request.stream || undefined,
    ...(refused ? withoutField(own, "thinking") : own),
    output_config: encodeOutput(request, output, own?.["output_config"]),
  });
  const silent = ["seed", "presencePenalty", "frequencyPenalty", "logprobs", "topLogprobs"] as const;
  for (const field of listUnsupportedSettings(request, silent)) dropped.add(field);
  if (request.n !== undefined && request.n > 1) dropped.add("n");
  if (body["service_tier"] === undefined)
    for (const field of listUnsupportedSettings(request, ["serviceTier"])) dropped.add(field);
  if (request.responseFormat?.type === "json") dropped.add("response_format");
  for (const name of listUnsupportedAttributes(request, ["names", "details"])) dropped.add(name);
  for (const field of foreignFields(request.extra, "anthropic")) dropped.add(field);
  return { body, dropped: [...dropped] };
}
