import { append } from "#dialects/append.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { Citation, Message, Part } from "#dialects/ir.ts";
import { addressOf, audioFormat, dataUrl } from "#dialects/media/media.ts";
import { isFileOf } from "#dialects/media/uploaded-file.ts";
import { addOwnFields, compact, nameOf, ownFields } from "#dialects/wire.ts";
import { unwrapInput } from "./freeform.ts";
import { searchCallItem, searchOutputItem } from "./tool-search.ts";
import type { OwnName } from "./tools.ts";

export function encodeAnnotations(citations: Citation[]): Wire[] {
  const wire: Wire[] = [];
  for (const { url, title, start, end, raw } of citations) {
    const own = ownFields("openai-responses", raw);
    // xAI omits required fields of a page.
    const page = { title: title ?? url, start_index: start ?? 0, end_index: end ?? 0 };
    if (own !== undefined) wire.push(own["type"] === "url_citation" ? { ...page, ...own } : own);
    else if (url !== undefined) wire.push({ type: "url_citation", url, ...page });
  }
  return wire;
}

const withOwn = (wire: Wire, { extra }: Pick<Part | Message, "extra">): Wire =>
  addOwnFields("openai-responses", wire, extra);

/** Encodes a part of a user, system or tool message; returns undefined when this format has none. */
function encodeInputPart(part: Part): Wire | undefined {
  const wire = encodeKnownInputPart(part);
  return wire === undefined ? undefined : withOwn(wire, part);
}

function encodeKnownInputPart(part: Part): Wire | undefined {
  if ("source" in part && part.source.type === "file" && !isFileOf(part.source.id, "openai"))
    return undefined;
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "input_text", text: part.text };
    case "image": {
      const detail = part.detail ?? "auto";
      if (part.source.type === "file") return { type: "input_image", file_id: part.source.id, detail };
      return { type: "input_image", image_url: addressOf(part.source), detail };
    }
    case "file": {
      const { source, filename } = part;
      if (source.type === "file") return compact({ type: "input_file", file_id: source.id, filename });
      if (source.type === "url") return compact({ type: "input_file", file_url: source.url, filename });
      const name = filename ?? `file.${source.mediaType.split("/")[1] ?? "bin"}`;
      return { type: "input_file", filename: name, file_data: dataUrl(source) };
    }
    case "audio": {
      if (part.source.type !== "data") return undefined;
      const format = part.format ?? audioFormat(part.source.mediaType);
      return { type: "input_audio", input_audio: { data: part.source.data, format } };
    }
    case "foreign":
      return ownFields("openai-responses", part.extra);
    default:
      return undefined;
  }
}

function encodeInputParts(parts: Part[], dropped: Set<string>): Wire[] {
  const wire: Wire[] = [];
  for (const part of parts) {
    const encoded = encodeInputPart(part);
    if (encoded === undefined) dropped.add(nameOf(part));
    else wire.push(encoded);
  }
  return wire;
}

function simplifyContent(content: Wire[]): string | Wire[] {
  const [only] = content;
  const isPlain = content.length === 1 && only?.["type"] === "input_text" && Object.keys(only).length === 2;
  return isPlain ? String(only["text"]) : content;
}

/**
 * Tools with their own form, and calls so far with plain text input, whose results have their own form too.
 */
interface Freeform {
  names: ReadonlyMap<string, OwnName>;
  calls: Set<string>;
}

/** Returns a finished call: with its item's id in a response, without it in a history. */
export function callItem(
  itemId: string | undefined,
  call: { id: string; name: string; input: string },
  own: OwnName | undefined,
): Wire {
  if (own?.form === "tool_search") return searchCallItem(itemId, call);
  const head = compact<Wire>({
    id: itemId,
    status: itemId && "completed",
    call_id: call.id,
    name: own?.name ?? call.name,
    namespace: own?.namespace,
  });
  if (own?.form === "custom") return { type: "custom_tool_call", ...head, input: unwrapInput(call.input) };
  return { type: "function_call", ...head, arguments: call.input === "" ? "{}" : call.input };
}

/**
 * Encodes reasoning. We store none at the provider, so only reasoning
 * with its own encrypted copy can be sent back.
 */
function encodeReasoning(part: Extract<Part, { type: "reasoning" }>): Wire[] {
  if (part.encrypted === undefined) return [];
  const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  const item = compact<Wire>({ type: "reasoning", id: part.id, summary, encrypted_content: part.encrypted });
  return [withOwn(item, part)];
}

function encodeAssistant(message: Message, freeform: Freeform, dropped: Set<string>): Wire[] {
  const wire: Wire[] = [];
  let spoken: Wire[] | undefined;
  const say = (content: Wire) => {
    if (spoken === undefined) {
      spoken = [];
      wire.push(withOwn({ type: "message", role: "assistant", content: spoken }, message));
    }
    spoken.push(content);
  };
  for (const part of message.parts) {
    if (part.type === "text") {
      const annotations = encodeAnnotations(part.citations ?? []);
      say(withOwn({ type: "output_text", text: part.text, annotations }, part));
      continue;
    }
    if (part.type === "refusal") {
      say({ type: "refusal", refusal: part.text });
      continue;
    }
    if (part.type === "audio" && part.transcript) {
      say({ type: "output_text", text: part.transcript, annotations: [] });
      continue;
    }
    spoken = undefined;
    if (part.type === "reasoning") append(wire, encodeReasoning(part));
    else if (part.type === "tool-call") {
      const own = freeform.names.get(part.name);
      if (own?.form === "custom") freeform.calls.add(part.id);
      wire.push(withOwn(callItem(undefined, part, own), part));
    } else {
      const own = part.type === "foreign" ? ownFields("openai-responses", part.extra) : undefined;
      if (own === undefined) dropped.add(nameOf(part));
      else wire.push(own);
    }
  }
  return wire;
}

function encodeTool(message: Message, freeform: Freeform, dropped: Set<string>): Wire[] {
  const wire: Wire[] = [];
  for (const part of message.parts) {
    if (part.type === "tool-result") {
      const found = searchOutputItem(part);
      if (found !== undefined) {
        wire.push(found);
        continue;
      }
      const output = simplifyContent(encodeInputParts(part.parts, dropped));
      const type = freeform.calls.has(part.callId) ? "custom_tool_call_output" : "function_call_output";
      const item = { type, call_id: part.callId, output: output.length === 0 ? "" : output };
      wire.push(withOwn(item, part));
      continue;
    }
    const own = part.type === "foreign" ? ownFields("openai-responses", part.extra) : undefined;
    if (own === undefined) dropped.add(nameOf(part));
    else wire.push(own);
  }
  return wire;
}

/** Encodes the input items. A plain system message at the start becomes the instructions. */
export function encodeInput(
  messages: Message[],
  names: ReadonlyMap<string, OwnName>,
  dropped: Set<string>,
): { instructions?: string; input: Wire[] } {
  const freeform: Freeform = { names, calls: new Set() };
  const [first, ...rest] = messages;
  const opening = first?.role === "system" && first.parts.length === 1 ? first.parts[0] : undefined;
  const hasInstructions =
    opening?.type === "text" && opening.cache === undefined && opening.extra === undefined && rest.length > 0;
  const input: Wire[] = [];
  for (const message of hasInstructions ? rest : messages) {
    if (message.role === "assistant") append(input, encodeAssistant(message, freeform, dropped));
    else if (message.role === "tool") append(input, encodeTool(message, freeform, dropped));
    else {
      const content = simplifyContent(encodeInputParts(message.parts, dropped));
      input.push(withOwn({ type: "message", role: message.role, content }, message));
    }
  }
  return hasInstructions ? { instructions: opening.text, input } : { input };
}
