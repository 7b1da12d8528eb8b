/**
 * Finds fields inside tools, messages and parts that a translation drops, by their path in the caller's
 * request. Fields that the IR has are reported where they are encoded. Pure.
 */
import type { ClientDialect, Upstream, Wire } from "./dialect.ts";
import { listUnsupportedInteractionFields } from "./interactions/unsupported-fields.ts";
import type { ChatRequest, DialectId, Message, Part } from "./ir.ts";
import { asRecord, isSwitchedOff, ownFields } from "./wire.ts";

interface Places {
  tool: string;
  message: string;
  /** Content of a message. */
  content: string;
  /** Content of instructions. */
  system: string;
  /** A call, its result or thinking. */
  call: string;
  /** Content of a result. */
  result: string;
}

const places: Record<DialectId, Places> = {
  "openai-chat": {
    tool: "tools.function",
    message: "messages",
    content: "messages.content",
    system: "messages.content",
    call: "messages",
    result: "messages.content",
  },
  "openai-responses": {
    tool: "tools",
    message: "input",
    content: "input.content",
    system: "input.content",
    call: "input",
    result: "input.output",
  },
  anthropic: {
    tool: "tools",
    message: "messages",
    content: "messages.content",
    system: "system",
    call: "messages.content",
    result: "messages.content.content",
  },
  gemini: {
    tool: "tools.functionDeclarations",
    message: "contents",
    content: "contents.parts",
    system: "systemInstruction.parts",
    call: "contents.parts",
    result: "contents.parts.functionResponse.parts",
  },
};

/** Objects of Gemini's parts whose fields are reported one by one. */
const containers = new Set(["functionCall", "functionResponse", "inlineData", "fileData"]);

type DroppedFields = Set<string>;

function addFields(fields: Wire | undefined, path: string, found: DroppedFields): void {
  for (const [key, value] of Object.entries(fields ?? {})) {
    const inner = containers.has(key) ? asRecord(value) : undefined;
    if (inner !== undefined) addFields(inner, `${path}.${key}`, found);
    // Only a call by code differs from the calls of other providers.
    else if (!isSwitchedOff(value) && !(key === "caller" && asRecord(value)?.["type"] === "direct"))
      found.add(`${path}.${key}`);
  }
}

const isCall = ({ type }: Part) => type === "tool-call" || type === "tool-result" || type === "reasoning";

function addParts(parts: readonly Part[], client: DialectId, content: string, found: DroppedFields): void {
  const { call, result } = places[client];
  for (const part of parts) {
    if (part.type === "foreign") addParts(part.fallback ?? [], client, content, found);
    else addFields(ownFields(client, part.extra), isCall(part) ? call : content, found);
    if (part.type === "tool-result") addParts(part.parts, client, result, found);
  }
}

function addMessage({ role, parts, extra }: Message, client: DialectId, found: DroppedFields): void {
  const { message, content, system } = places[client];
  addFields(ownFields(client, extra), message, found);
  addParts(parts, client, role === "system" ? system : content, found);
}

function addTools({ tools }: ChatRequest, client: DialectId, found: DroppedFields): void {
  for (const { extra, grouped } of tools ?? []) {
    addFields(ownFields(client, extra), places[client].tool, found);
    if (ownFields(client, grouped)?.["description"]) found.add("tools.description");
  }
}

/** Returns the paths of fields that the translation to the dialect of `upstream` drops. */
export function listUnsupportedFields(
  { client, request, body }: { client: Pick<ClientDialect, "id">; request: ChatRequest; body: Wire },
  upstream: Upstream["id"],
): string[] {
  if (client.id === "interactions") return listUnsupportedInteractionFields(body);
  const found: DroppedFields = new Set();
  addTools(request, client.id, found);
  for (const message of request.messages) addMessage(message, client.id, found);
  // The other two reasoning dialects return a summary; with chat completions the provider decides.
  const isUnsummarized = upstream === "openai-chat" || upstream === "own";
  if (client.id === "openai-responses" && isUnsummarized && request.reasoning?.summary !== undefined)
    found.add("reasoning.summary");
  return [...found];
}
