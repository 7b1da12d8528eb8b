import { append } from "#dialects/append.ts";
import type { MediaPart, Wire } from "#dialects/dialect.ts";
import type { CacheControl, MediaSource, Message, Part } from "#dialects/ir.ts";
import { isTextType } from "#dialects/media/media-type.ts";
import { textOfBase64 } from "#dialects/media/media.ts";
import { isFileOf } from "#dialects/media/uploaded-file.ts";
import { addOwnFields, callerInputObject, nameOf, ownFields } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { encodeCitation } from "./citation.ts";

export function encodeCache(cache: CacheControl | undefined): Wire {
  if (cache === undefined) return {};
  return { cache_control: { type: "ephemeral", ...(cache.ttl && { ttl: cache.ttl }) } };
}

/**
 * Returns an id of letters, digits, `_` and `-`, as this API requires.
 * Ids of other providers are converted, the same way for calls and results.
 */
function encodeId(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_") || "_";
}

function encodeSource(source: MediaSource): Wire {
  switch (source.type) {
    case "data":
      return { type: "base64", media_type: source.mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    default:
      return { type: "file", file_id: source.id };
  }
}

/**
 * Returns whether a part can be sent as a URL. Of files, only a PDF can.
 * Sounds are not supported at all, so their bytes are not needed either.
 */
export function takesAddress(part: MediaPart): boolean {
  if (part.type !== "file" || part.source.type !== "url") return true;
  const { mediaType } = part.source;
  return mediaType === undefined || mediaType === "application/pdf" || mediaType.startsWith("image/");
}

function isElsewhere(source: MediaSource): boolean {
  return source.type === "file" && !isFileOf(source.id, "anthropic");
}

/** Encodes a document. This API supports PDF and plain text only. */
function encodeFile(part: Extract<Part, { type: "file" }>): Wire | undefined {
  const { source } = part;
  const rest = { ...(part.filename && { title: part.filename }), ...encodeCache(part.cache) };
  if (source.type !== "data" || source.mediaType === "application/pdf") {
    return { type: "document", source: encodeSource(source), ...rest };
  }
  if (source.mediaType.startsWith("image/")) {
    return { type: "image", source: encodeSource(source), ...encodeCache(part.cache) };
  }
  if (!isTextType(source.mediaType)) return undefined;
  const text = { type: "text", media_type: "text/plain", data: textOfBase64(source.data) };
  return { type: "document", source: text, ...rest };
}

/** Encodes reasoning. No provider of this API accepts reasoning without a proof. */
function encodeReasoning(part: Extract<Part, { type: "reasoning" }>): Wire | undefined {
  if (part.signature !== undefined) {
    return { type: "thinking", thinking: part.text, signature: part.signature };
  }
  if (part.encrypted !== undefined && part.text === "")
    return { type: "redacted_thinking", data: part.encrypted };
  return undefined;
}

/** Encodes a part. `message` is the index of its message in the request, for errors. */
function encodePart(part: Part, message: number, dropped: Set<string>): Wire | undefined {
  const wire = encodeKnownPart(part, message, dropped);
  return wire === undefined ? undefined : addOwnFields("anthropic", wire, part.extra);
}

function encodeKnownPart(part: Part, message: number, dropped: Set<string>): Wire | undefined {
  switch (part.type) {
    case "text": {
      if (part.text.trim() === "") return undefined;
      const citations = (part.citations ?? []).flatMap(encodeCitation);
      const cited = citations.length > 0 ? { citations } : {};
      return { type: "text", text: part.text, ...cited, ...encodeCache(part.cache) };
    }
    case "refusal":
      return part.text.trim() === "" ? undefined : { type: "text", text: part.text };
    case "image":
      if (isElsewhere(part.source)) break;
      return { type: "image", source: encodeSource(part.source), ...encodeCache(part.cache) };
    case "file": {
      const wire = isElsewhere(part.source) ? undefined : encodeFile(part);
      if (wire !== undefined) return wire;
      break;
    }
    case "reasoning":
      return encodeReasoning(part);
    case "audio":
      if (part.transcript) return { type: "text", text: part.transcript };
      break;
    case "tool-call": {
      const input = callerInputObject(part.input, message);
      return { type: "tool_use", id: encodeId(part.id), name: part.name, input, ...encodeCache(part.cache) };
    }
    case "tool-result": {
      const [only] = part.parts;
      const isPlain =
        part.parts.length === 1 &&
        only?.type === "text" &&
        only.cache === undefined &&
        only.extra === undefined;
      const content = isPlain ? only.text : encodeParts(part.parts, message, dropped);
      const error = part.isError === true ? { is_error: true } : {};
      const result = { type: "tool_result", tool_use_id: encodeId(part.callId), ...error };
      return { ...result, ...(content.length > 0 && { content }), ...encodeCache(part.cache) };
    }
    case "foreign": {
      const own = ownFields("anthropic", part.extra);
      if (own !== undefined) return own;
    }
  }
  dropped.add(nameOf(part));
  return undefined;
}

function encodeParts(parts: Part[], message: number, dropped: Set<string>): Wire[] {
  const wire: Wire[] = [];
  for (const part of parts) {
    const encoded = encodePart(part, message, dropped);
    if (encoded !== undefined) wire.push(encoded);
  }
  return wire;
}

interface Turn {
  role: "user" | "assistant";
  content: Wire[];
}

/** Moves tool results to the start of a user turn, as the API requires. */
function resultsFirst(content: Wire[]): Wire[] {
  const results = content.filter((block) => block["type"] === "tool_result");
  if (results.length === 0 || results.length === content.length) return content;
  return [...results, ...content.filter((block) => block["type"] !== "tool_result")];
}

function simplifyContent(content: Wire[]): string | Wire[] {
  const [only] = content;
  const isPlain = content.length === 1 && only?.["type"] === "text" && Object.keys(only).length === 2;
  return isPlain ? String(only["text"]) : content;
}

/** Trims a final assistant message, which the model continues: it must not end in white space. */
function trimLast(turn: Turn | undefined): void {
  const last = turn?.role === "assistant" ? turn.content.at(-1) : undefined;
  if (last?.["type"] === "text") last["text"] = String(last["text"]).trimEnd();
}

/**
 * Returns the system prompt and the turns. All system and developer messages move to the front. Consecutive
 * messages of one role become one turn; tools count as users.
 */
export function encodeMessages(
  messages: Message[],
  dropped: Set<string>,
): { system: string | Wire[] | undefined; messages: Wire[] } {
  let system: Wire[] = [];
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const content = encodeParts(message.parts, index, dropped);
    if (message.role === "system" || message.role === "developer") {
      append(
        system,
        content.filter((block) => block["type"] === "text"),
      );
      continue;
    }
    if (content.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) append(last.content, content);
    else turns.push({ role, content });
  }
  // The API requires a user message, also for a prompt of system messages only.
  if (turns.length === 0 && system.length > 0) {
    turns.push({ role: "user", content: system });
    system = [];
  }
  if (turns.length === 0) {
    throw invalidRequest({ reason: "no_content_for_model" }, { param: "messages" });
  }
  trimLast(turns.at(-1));
  return {
    system: system.length === 0 ? undefined : simplifyContent(system),
    messages: turns.map(({ role, content }) => ({ role, content: simplifyContent(resultsFirst(content)) })),
  };
}
