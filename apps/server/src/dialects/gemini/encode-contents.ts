import { append } from "#dialects/append.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { MediaSource, Message, Part } from "#dialects/ir.ts";
import { isTextType, typeOfEnding } from "#dialects/media/media-type.ts";
import { isFileOf } from "#dialects/media/uploaded-file.ts";
import { addOwnFields, callerInputObject, compact, nameOf, ownFields, parseRecord } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";

/** This API accepts text under few other names than those below "text/". */
function acceptedType(mediaType: string): string {
  return isTextType(mediaType) && !mediaType.startsWith("text/") ? "text/plain" : mediaType;
}

function encodeSource(source: MediaSource, fallback: string): Wire {
  switch (source.type) {
    case "data":
      return { inlineData: { mimeType: acceptedType(source.mediaType), data: source.data } };
    case "url":
      return {
        fileData: { fileUri: source.url, mimeType: source.mediaType ?? typeOfEnding(source.url, fallback) },
      };
    default:
      return { fileData: compact({ fileUri: source.id, mimeType: source.mediaType }) };
  }
}

function encodeReasoning(part: Extract<Part, { type: "reasoning" }>): Wire | undefined {
  const signature = part.signature === undefined ? {} : { thoughtSignature: part.signature };
  if (part.text === "") return part.signature === undefined ? undefined : { text: "", ...signature };
  return { text: part.text, thought: true, ...signature };
}

function isElsewhere(source: MediaSource): boolean {
  return source.type === "file" && !isFileOf(source.id, "google");
}

/**
 * Encodes a tool result. An object is sent unchanged.
 * Everything else is wrapped, and so is an object that would be read as text.
 */
function encodeResult(part: Extract<Part, { type: "tool-result" }>): Wire {
  const text = part.parts.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n");
  if (part.isError === true) return { error: text };
  const object = parseRecord(text);
  const keys = Object.keys(object ?? {});
  const isPlainText = keys.length === 1 && ["result", "output", "error"].includes(keys[0] ?? "");
  return object === undefined || isPlainText || JSON.stringify(object) !== text ? { result: text } : object;
}

function encodePart(part: Part, message: number, dropped: Set<string>): Wire | undefined {
  const wire = encodeKnownPart(part, message, dropped);
  return wire === undefined ? undefined : addOwnFields("gemini", wire, part.extra);
}

function encodeKnownPart(part: Part, message: number, dropped: Set<string>): Wire | undefined {
  if ("source" in part && part.type !== "audio" && isElsewhere(part.source)) {
    dropped.add(nameOf(part));
    return undefined;
  }
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? undefined : { text: part.text };
    case "image":
      return encodeSource(part.source, "image/jpeg");
    case "file":
      return encodeSource(part.source, "application/pdf");
    case "audio":
      if (part.source.type === "file") {
        if (part.transcript) return { text: part.transcript };
        dropped.add("audio");
        return undefined;
      }
      return encodeSource(part.source, "audio/wav");
    case "reasoning":
      return encodeReasoning(part);
    case "tool-call": {
      const args = callerInputObject(part.input, message);
      const signature = part.signature === undefined ? {} : { thoughtSignature: part.signature };
      return { functionCall: { id: part.id, name: part.name, args }, ...signature };
    }
    case "foreign": {
      const own = ownFields("gemini", part.extra);
      if (own === undefined) dropped.add(nameOf(part));
      return own;
    }
    default:
      return undefined;
  }
}

/**
 * Encodes a tool message. Results include the name of their function,
 * which other dialects keep on the call only.
 */
function encodeToolMessage(
  message: Message,
  index: number,
  names: Map<string, string>,
  dropped: Set<string>,
): Wire[] {
  const results: Wire[] = [];
  const attachments: Wire[] = [];
  for (const part of message.parts) {
    if (part.type !== "tool-result") {
      const own = encodePart(part, index, dropped);
      if (own !== undefined) attachments.push(own);
      continue;
    }
    const name = part.name ?? names.get(part.callId) ?? part.callId;
    const functionResponse = { id: part.callId, name, response: encodeResult(part) };
    results.push(addOwnFields("gemini", { functionResponse }, part.extra));
    for (const each of part.parts) {
      const wire = each.type === "text" ? undefined : encodePart(each, index, dropped);
      if (wire !== undefined) attachments.push(wire);
    }
  }
  return [...results, ...attachments];
}

interface Content {
  role: "user" | "model";
  /** Role of the content; tool results must stay separate from user content. */
  speaker: Message["role"];
  parts: Wire[];
}

/**
 * Encodes contents. System messages move to the front, and consecutive
 * messages of one role become one content.
 */
export function encodeContents(
  messages: Message[],
  dropped: Set<string>,
): { systemInstruction?: Wire; contents: Wire[] } {
  const names = new Map<string, string>();
  const system: Wire[] = [];
  const contents: Content[] = [];
  for (const [index, message] of messages.entries()) {
    for (const part of message.parts) if (part.type === "tool-call") names.set(part.id, part.name);
    const parts =
      message.role === "tool"
        ? encodeToolMessage(message, index, names, dropped)
        : message.parts.flatMap<Wire>((part) => encodePart(part, index, dropped) ?? []);
    if (message.role === "system" || message.role === "developer") {
      append(system, parts);
      continue;
    }
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    if (last?.speaker === message.role) append(last.parts, parts);
    else
      contents.push({ role: message.role === "assistant" ? "model" : "user", speaker: message.role, parts });
  }
  // The API requires content, so a system message alone is sent as user content.
  if (contents.length === 0 && system.length === 0) {
    throw invalidRequest({ reason: "no_content_for_model" }, { param: "contents" });
  }
  if (contents.length === 0) return { contents: [{ role: "user", parts: system }] };
  const spoken = contents.map(({ role, parts }) => ({ role, parts }));
  return system.length === 0
    ? { contents: spoken }
    : { systemInstruction: { parts: system }, contents: spoken };
}
