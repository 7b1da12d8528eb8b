/** Encodes requests for Converse. A block is an object with a single key, which is its type. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { append } from "#dialects/append.ts";
import type { Wire } from "#dialects/dialect.ts";
import type {
  CacheControl,
  ChatRequest,
  MediaSource,
  Message,
  Part,
  Tool,
  ToolChoice,
} from "#dialects/ir.ts";
import { isTextType } from "#dialects/media/media-type.ts";
import { audioFormat, textOfBase64 } from "#dialects/media/media.ts";
import { listUnsupportedAttributes } from "#dialects/unsupported-attributes.ts";
import {
  callerInputObject,
  compact,
  foreignFields,
  nameOf,
  listUnsupportedSettings,
} from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { claudeIds } from "#providers/call-ids.ts";
import { objectRoot } from "#providers/schemas/root.ts";
import { withCallsAsText } from "./calls-as-text.ts";

const imageFormats = new Set(["png", "jpeg", "gif", "webp"]);
const documentFormats = lookupTable<string>({
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
});

/** Returns whether it is an Amazon model. Only those accept cache points here; other models reject them. */
function isNova(model: string): boolean {
  return model.includes("amazon.nova");
}

interface Context {
  message: number;
  caches: boolean;
  /** Names of documents so far; names must be unique. */
  names: Set<string>;
  dropped: Set<string>;
}

function cachePoint(cache: CacheControl | undefined, { caches }: Pick<Context, "caches">): Wire[] {
  return cache === undefined || !caches ? [] : [{ cachePoint: { type: "default" } }];
}

/** Returns an id of at most 64 letters, digits, `_` and `-`, as this API requires. */
function encodeId(id: string): string {
  return id.length > 64 ? claudeIds.replace(id) : id.replaceAll(/[^\w-]/g, "_") || "_";
}

function imageBlock(source: MediaSource): Wire | undefined {
  if (source.type !== "data") return undefined;
  const format = source.mediaType.replace(/^image\//, "").replace("jpg", "jpeg");
  return imageFormats.has(format) ? { image: { format, source: { bytes: source.data } } } : undefined;
}

function documentName(filename: string | undefined, names: Set<string>): string {
  const plain = (filename ?? "document").replace(/\.\w+$/, "").replaceAll(/[^\w()[\] -]|_/g, "-");
  const base = plain.trim() === "" ? "document" : plain.slice(0, 180);
  let name = base;
  for (let count = 2; names.has(name); count += 1) name = `${base} ${count}`;
  names.add(name);
  return name;
}

function fileBlock(part: Extract<Part, { type: "file" }>, names: Set<string>): Wire | undefined {
  const { source } = part;
  if (source.type !== "data") return undefined;
  if (source.mediaType.startsWith("image/")) return imageBlock(source);
  const known = documentFormats[source.mediaType];
  if (known !== undefined) {
    const name = documentName(part.filename, names);
    return { document: { format: known, name, source: { bytes: source.data } } };
  }
  const isText = isTextType(source.mediaType);
  return isText ? { text: textOfBase64(source.data) } : undefined;
}

function reasoningBlock(part: Extract<Part, { type: "reasoning" }>): Wire | undefined {
  const { text, signature, encrypted } = part;
  if (signature !== undefined) return { reasoningContent: { reasoningText: { text, signature } } };
  return encrypted === undefined ? undefined : { reasoningContent: { redactedContent: encrypted } };
}

function toolResult(part: Extract<Part, { type: "tool-result" }>, context: Context): Wire {
  const content = part.parts.flatMap((each) => encodePart(each, context));
  return {
    toolResult: {
      toolUseId: encodeId(part.callId),
      content: content.length > 0 ? content : [{ text: " " }],
      ...(part.isError === true && { status: "error" }),
    },
  };
}

function blockOf(part: Part, context: Context): Wire | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      // The API rejects blank text.
      return part.text.trim() === "" ? undefined : { text: part.text };
    case "image":
      return imageBlock(part.source);
    case "file":
      return fileBlock(part, context.names);
    case "audio": {
      if (part.source.type !== "data") return part.transcript ? { text: part.transcript } : undefined;
      const format = part.format ?? audioFormat(part.source.mediaType);
      return { audio: { format, source: { bytes: part.source.data } } };
    }
    case "reasoning":
      return reasoningBlock(part);
    case "tool-call":
      return {
        toolUse: {
          toolUseId: encodeId(part.id),
          name: part.name,
          input: callerInputObject(part.input, context.message),
        },
      };
    case "tool-result":
      return toolResult(part, context);
    case "foreign":
      return undefined;
  }
}

/**
 * Returns whether a part is dropped without a report: blank text, or reasoning without a proof. All other
 * dropped parts are reported.
 */
function isSilent(part: Part): boolean {
  return part.type === "text" || part.type === "refusal" || part.type === "reasoning";
}

function encodePart(part: Part, context: Context): Wire[] {
  const block = blockOf(part, context);
  if (block === undefined) {
    if (!isSilent(part)) context.dropped.add(nameOf(part));
    return [];
  }
  return [block, ...("cache" in part ? cachePoint(part.cache, context) : [])];
}

interface Turn {
  role: "user" | "assistant";
  content: Wire[];
}

/**
 * Encodes the messages. Consecutive messages of one role become one turn, and tool results come first in it.
 */
function encodeMessages(request: ChatRequest, dropped: Set<string>): { system: Wire[]; messages: Turn[] } {
  const system: Wire[] = [];
  const messages: Turn[] = [];
  const names = new Set<string>();
  const caches = isNova(request.model);
  for (const [index, message] of request.messages.entries()) {
    const content = contentOf(message, { message: index, caches, names, dropped });
    if (message.role === "system" || message.role === "developer") {
      append(
        system,
        content.filter((block) => "text" in block || "cachePoint" in block),
      );
      continue;
    }
    if (content.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = messages.at(-1);
    if (last?.role === role) append(last.content, content);
    else messages.push({ role, content });
  }
  // The API requires a user message, also for a prompt of system messages only.
  if (messages.length === 0 && system.length > 0)
    messages.push({ role: "user", content: system.splice(0, system.length) });
  if (messages.length === 0) throw invalidRequest({ reason: "no_content_for_model" }, { param: "messages" });
  // It also requires one at the start. Compacted conversations may begin with the assistant's summary.
  if (messages[0]?.role === "assistant") messages.unshift({ role: "user", content: [{ text: "." }] });
  for (const turn of messages) turn.content = resultsFirst(turn.content);
  return { system, messages };
}

function contentOf(message: Message, context: Context): Wire[] {
  return message.parts.flatMap((part) => encodePart(part, context));
}

function resultsFirst(content: Wire[]): Wire[] {
  return [
    ...content.filter((block) => "toolResult" in block),
    ...content.filter((block) => !("toolResult" in block)),
  ];
}

function encodeTool({ name, description, schema }: Tool): Wire {
  const json = objectRoot(schema ?? { type: "object", properties: {} });
  return { toolSpec: compact<Wire>({ name, description, inputSchema: { json } }) };
}

const choices: Record<Exclude<ToolChoice["type"], "tool" | "none">, Wire> = {
  auto: { auto: {} },
  required: { any: {} },
};

function encodeToolConfig(request: ChatRequest): Wire | undefined {
  const offered = request.toolChoice?.type === "none" ? [] : (request.tools ?? []);
  if (offered.length === 0) return undefined;
  const context = { caches: isNova(request.model) };
  const tools = offered.flatMap((tool) => [encodeTool(tool), ...cachePoint(tool.cache, context)]);
  const choice = request.toolChoice;
  if (choice === undefined || choice.type === "none" || choice.type === "auto") return { tools };
  const toolChoice = choice.type === "tool" ? { tool: { name: choice.name } } : choices[choice.type];
  return { tools, toolChoice };
}

function encodeOutput({ responseFormat: format }: ChatRequest): Wire | undefined {
  if (format?.type !== "json-schema") return undefined;
  const { name = "answer", description, schema } = format;
  const jsonSchema = compact<Wire>({ name, description, schema: JSON.stringify(schema) });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

const novaEfforts = lookupTable<string>({
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
});

/** Encodes fields that Converse lacks, under the names of the models that accept them. */
function encodeAdditional(request: ChatRequest, dropped: Set<string>): Wire | undefined {
  const fields: Wire = {};
  const { topK, reasoning, model } = request;
  if (topK !== undefined) {
    if (isNova(model)) fields["inferenceConfig"] = { topK };
    else dropped.add("top_k");
  }
  const effort = reasoning?.effort;
  if (reasoning !== undefined && effort !== "none") {
    const wanted = novaEfforts[effort ?? "medium"];
    if (model.includes("amazon.nova-2") && wanted !== undefined)
      fields["reasoningConfig"] = { type: "enabled", maxReasoningEffort: wanted };
    else dropped.add("reasoning");
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}

const tiers = lookupTable<string>({ default: "default", flex: "flex", priority: "priority" });

export function encodeRequest(given: ChatRequest): { body: Wire; dropped: string[] } {
  const request = withCallsAsText(given);
  const dropped = new Set<string>();
  const { system, messages } = encodeMessages(request, dropped);
  const stop = request.stop?.filter((sequence) => sequence.trim() !== "");
  const inference = compact<Wire>({
    maxTokens: request.maxOutputTokens,
    temperature: request.temperature === undefined ? undefined : Math.min(1, request.temperature),
    topP: request.topP,
    stopSequences: stop?.length === 0 ? undefined : stop,
  });
  const tier = tiers[request.serviceTier ?? ""];
  const body = compact<Wire>({
    messages,
    system: system.length > 0 ? system : undefined,
    inferenceConfig: Object.keys(inference).length > 0 ? inference : undefined,
    toolConfig: encodeToolConfig(request),
    outputConfig: encodeOutput(request),
    additionalModelRequestFields: encodeAdditional(request, dropped),
    serviceTier: tier === undefined ? undefined : { type: tier },
  });
  const silent = ["seed", "presencePenalty", "frequencyPenalty", "logprobs", "topLogprobs", "user"] as const;
  for (const field of listUnsupportedSettings(request, silent)) dropped.add(field);
  for (const { kind } of request.serverTools ?? []) dropped.add(kind === "other" ? "server_tools" : kind);
  if (request.n !== undefined && request.n > 1) dropped.add("n");
  if (request.parallelToolCalls === false) dropped.add("parallel_tool_calls");
  if (request.responseFormat?.type === "json") dropped.add("response_format");
  if (request.serviceTier !== undefined && tier === undefined && request.serviceTier !== "auto")
    dropped.add("service_tier");
  for (const name of listUnsupportedAttributes(request, ["names", "details", "strict"])) dropped.add(name);
  for (const field of foreignFields(request.extra)) dropped.add(field);
  return { body, dropped: [...dropped] };
}
