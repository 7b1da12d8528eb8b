/**
 * Finds fields inside tools, messages and parts that a translation drops, by their path in the caller's
 * request. Only unknown fields next to known ones are found; fields of the IR are reported where they are
 * encoded. Pure.
 */
import type { Upstream, Wire } from "./dialect.ts";
import type { ClientDialectId } from "./ir.ts";
import { effortOf } from "./reasoning/effort.ts";
import { asRecord } from "./wire.ts";

type FieldPaths = ReadonlySet<string>;

const known = (...names: string[]): FieldPaths => new Set(names);

const chatMessage = known(
  "role",
  "content",
  "name",
  "refusal",
  "tool_calls",
  "tool_call_id",
  "function_call",
  "audio",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "annotations",
  "images",
);
const chatPart = known("type", "text", "refusal", "image_url", "input_audio", "file", "cache_control");
const functionFields = known("name", "description", "parameters", "strict");
const ownTool = known("type", "name", "description", "input_schema", "strict", "cache_control");
const block = known(
  "type",
  "text",
  "citations",
  "cache_control",
  "source",
  "title",
  "thinking",
  "signature",
  "data",
  "id",
  "name",
  "input",
  "tool_use_id",
  "content",
  "is_error",
);
const none = known();
const documentBlock = known("type", "source", "title", "cache_control");
const item = known(
  "type",
  "role",
  "content",
  "id",
  "status",
  "call_id",
  "name",
  "namespace",
  "arguments",
  "input",
);
const itemMore = known("output", "summary", "encrypted_content", "tools");
const itemPart = known(
  "type",
  "text",
  "annotations",
  "logprobs",
  "refusal",
  "image_url",
  "file_id",
  "detail",
);
const itemPartMore = known("file_data", "file_url", "filename", "input_audio");
const geminiPart = known(
  "text",
  "thought",
  "thoughtSignature",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
);
const declaration = known("name", "description", "parameters", "parametersJsonSchema");
const functionResponse = known("id", "name", "response", "parts");

const camel = (key: string) =>
  key.replaceAll(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase());

type DroppedFields = Set<string>;

function look(value: unknown, path: string, found: DroppedFields, ...lists: FieldPaths[]): void {
  for (const [key, each] of Object.entries(asRecord(value) ?? {}))
    if (each !== null && each !== undefined && !lists.some((list) => list.has(key)))
      found.add(path === "" ? key : `${path}.${key}`);
}

function each(value: unknown, visit: (wire: Wire) => void): void {
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const wire = asRecord(one);
    if (wire !== undefined) visit(wire);
  }
}

function inChat(body: Wire, found: DroppedFields): void {
  each(body["tools"], (tool) => look(tool["function"], "tools.function", found, functionFields));
  each(body["messages"], (message) => {
    look(message, "messages", found, chatMessage);
    each(message["content"], (part) => look(part, "messages.content", found, chatPart));
  });
}

function inBlocks(content: unknown, path: string, found: DroppedFields): void {
  each(content, (wire) => {
    const { type } = wire;
    // A block type that only this dialect has is reported as a whole.
    if (
      typeof type !== "string" ||
      !/^(?:text|image|document|thinking|redacted_thinking|tool_use|tool_result)$/.test(type)
    )
      return;
    // Only a call by code differs from the calls of other providers.
    const isDirect = asRecord(wire["caller"])?.["type"] === "direct";
    look(wire, path, found, type === "document" ? documentBlock : block, isDirect ? known("caller") : none);
    if (type === "tool_result") inBlocks(wire["content"], `${path}.content`, found);
  });
}

function inMessages(body: Wire, found: DroppedFields): void {
  each(body["tools"], (tool) => {
    if (!tool["type"] || tool["type"] === "custom") look(tool, "tools", found, ownTool);
  });
  inBlocks(body["system"], "system", found);
  each(body["messages"], (message) => inBlocks(message["content"], "messages.content", found));
}

const translatedItem = /^(?:message|function_call|function_call_output|reasoning)$/;

function inResponses(body: Wire, upstream: Upstream["id"], found: DroppedFields): void {
  each(body["tools"], (tool) => {
    if (!tool["type"] || tool["type"] === "function")
      look(tool, "tools", found, functionFields, known("type"));
  });
  each(body["input"], (wire) => {
    const type = wire["type"] ?? "message";
    if (typeof type !== "string" || !translatedItem.test(type)) return;
    look(wire, "input", found, item, itemMore);
    each(wire["content"], (part) => look(part, "input.content", found, itemPart, itemPartMore));
  });
  // The other two reasoning dialects return a summary; with chat completions the provider decides.
  const summary = asRecord(body["reasoning"])?.["summary"];
  if (summary && (upstream === "openai-chat" || upstream === "own")) found.add("reasoning.summary");
}

function inGemini(body: Wire, found: DroppedFields): void {
  const spelled = (value: unknown, path: string, list: FieldPaths) => {
    const wire = Object.entries(asRecord(value) ?? {}).map(([key, inner]) => [camel(key), inner] as const);
    look(Object.fromEntries(wire), path, found, list);
  };
  each(body["tools"], (tool) =>
    each(tool["functionDeclarations"] ?? tool["function_declarations"], (wire) =>
      spelled(wire, "tools.functionDeclarations", declaration),
    ),
  );
  each(body["contents"], (content) =>
    each(content["parts"], (part) => {
      const isOwn = Object.keys(part).every((key) => !geminiPart.has(camel(key)));
      if (!isOwn) spelled(part, "contents.parts", geminiPart);
      const result = part["functionResponse"] ?? part["function_response"];
      if (result !== undefined) spelled(result, "contents.parts.functionResponse", functionResponse);
    }),
  );
}

const interaction = known(
  "model",
  "input",
  "stream",
  "store",
  "background",
  "previous_interaction_id",
  "system_instruction",
  "tools",
  "generation_config",
  "response_format",
  "response_mime_type",
  "response_modalities",
  "safety_settings",
  "service_tier",
  "cached_content",
);
const interactionConfig = known(
  "temperature",
  "top_p",
  "max_output_tokens",
  "stop_sequences",
  "seed",
  "thinking_level",
  "thinking_summaries",
  "tool_choice",
  "speech_config",
  "image_config",
);
const interactionTool = known("type", "name", "description", "parameters");
const interactionContent = known(
  "type",
  "text",
  "annotations",
  "data",
  "uri",
  "mime_type",
  "resolution",
  "role",
  "content",
);
const interactionStep = known(
  "id",
  "name",
  "arguments",
  "signature",
  "summary",
  "call_id",
  "result",
  "is_error",
  "error",
);
/** Steps of tools that only Google runs, except code, which has a form in the other formats. */
const ownStep =
  /^(?:google_search|url_context|google_maps|file_search|mcp_server_tool|retrieval|processing)_(?:call|result)$/;

function inInteractions(body: Wire, found: DroppedFields): void {
  look(body, "", found, interaction);
  const config = asRecord(body["generation_config"]);
  look(config, "generation_config", found, interactionConfig);
  const level = config?.["thinking_level"];
  if (typeof level === "string" && effortOf(level) === undefined)
    found.add("generation_config.thinking_level");
  each(body["tools"], (tool) => {
    if (tool["type"] === "function") look(tool, "tools", found, interactionTool);
  });
  each(body["input"], (wire) => {
    const { type } = wire;
    if (typeof type === "string" && ownStep.test(type)) return void found.add(`input.${type}`);
    look(wire, "input", found, interactionContent, interactionStep);
    each(wire["content"], (content) =>
      look(content, "input.content", found, interactionContent, interactionStep),
    );
  });
}

/**
 * Returns the paths of fields that the translation drops.
 * @param upstream dialect that the request is translated to
 */
export function listUnsupportedFields(
  client: ClientDialectId,
  body: Wire,
  upstream: Upstream["id"],
): string[] {
  const found: DroppedFields = new Set();
  switch (client) {
    case "openai-chat":
      inChat(body, found);
      break;
    case "anthropic":
      inMessages(body, found);
      break;
    case "openai-responses":
      inResponses(body, upstream, found);
      break;
    case "gemini":
      inGemini(body, found);
      break;
    case "interactions":
      inInteractions(body, found);
  }
  return [...found];
}
