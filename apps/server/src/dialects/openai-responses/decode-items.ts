import type { z } from "zod";
import { append } from "#dialects/append.ts";
import type { Citation, MediaSource, Message, Part, Role } from "#dialects/ir.ts";
import { audioMediaType, isDataUrl, sourceOfUrl } from "#dialects/media/media.ts";
import { unpackProof } from "#dialects/reasoning/proof.ts";
import { asRecord, compact, parseAt } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { wrapInput } from "./freeform.ts";
import { flatName } from "./grouped.ts";
import { isOwnReasoning } from "./item-ids.ts";
import { contentParts, type item, items } from "./schema.ts";
import { decodeSearchCall, decodeSearchOutput } from "./tool-search.ts";

type Content = string | Array<{ type: string }>;
type Item = z.infer<typeof item>;

/** Decodes a citation with a URL; file citations are only meaningful in this dialect. */
export function decodeAnnotation(value: unknown): Citation | undefined {
  const wire = asRecord(value);
  if (wire === undefined) return undefined;
  const text = (key: string) => (typeof wire[key] === "string" ? wire[key] : undefined);
  const place = (key: string) => (typeof wire[key] === "number" ? wire[key] : undefined);
  return compact<Citation>({
    url: text("url"),
    title: text("title") ?? text("filename"),
    start: place("start_index"),
    end: place("end_index"),
    raw: { dialect: "openai-responses", fields: wire },
  });
}

function decodeImage(wire: { type: string }, at: string): Part {
  const { image_url: url, file_id: id, detail } = parseAt(contentParts.input_image, wire, at);
  if (!url && !id) throw invalidRequest({ reason: "field_required", field: `${at}.image_url` });
  const source: MediaSource = url ? sourceOfUrl(url) : { type: "file", id: id ?? "" };
  return { type: "image", source, ...(detail && { detail }) };
}

function decodeFile(wire: { type: string }, at: string): Part {
  const {
    file_data: data,
    file_id: id,
    file_url: url,
    filename,
  } = parseAt(contentParts.input_file, wire, at);
  if (!data && !id && !url) throw invalidRequest({ reason: "field_required", field: `${at}.file_data` });
  const named = filename ? { filename } : {};
  if (id) return { type: "file", source: { type: "file", id }, ...named };
  if (!data) return { type: "file", source: sourceOfUrl(url ?? ""), ...named };
  const source = sourceOfUrl(isDataUrl(data) ? data : `data:application/pdf;base64,${data}`);
  return { type: "file", source, ...named };
}

function decodePart(wire: { type: string }, at: string): Part {
  switch (wire.type) {
    case "input_text":
    case "output_text":
    case "text": {
      const { text, annotations } = parseAt(contentParts.text, wire, at);
      const citations = (annotations ?? []).flatMap((each) => decodeAnnotation(each) ?? []);
      return { type: "text", text, ...(citations.length > 0 && { citations }) };
    }
    case "refusal":
      return { type: "refusal", text: parseAt(contentParts.refusal, wire, at).refusal };
    case "input_image":
      return decodeImage(wire, at);
    case "input_file":
      return decodeFile(wire, at);
    case "input_audio": {
      const { data, format } = parseAt(contentParts.input_audio, wire, at).input_audio;
      return { type: "audio", source: { type: "data", mediaType: audioMediaType(format), data }, format };
    }
    default:
      return { type: "foreign", extra: { dialect: "openai-responses", fields: { ...wire } } };
  }
}

function decodeContent(content: Content, at: string): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((part, index) => decodePart(part, `${at}.${index}`));
}

const joined = (texts: Array<{ text: string }> | null | undefined) => (texts ?? []).map((each) => each.text);

/**
 * The origin of reasoning without a proof, whose id this gateway gave to it. No provider knows such an id, and
 * none accepts it.
 */
const unknownId = { origin: "translated" };

/** Decodes one item with its role; the caller joins consecutive items of one role. */
function decodeItem(wire: Item, at: string): DecodedItem {
  const type = wire.type ?? (wire.role ? "message" : "");
  switch (type) {
    case "message": {
      const message = parseAt(items.message, wire, at);
      const parts = decodeContent(message.content, `${at}.content`);
      return { role: message.role, parts, joins: message.role === "assistant" };
    }
    case "function_call": {
      const call = parseAt(items.function_call, wire, at);
      const name = flatName(call.namespace, call.name);
      const part: Part = { type: "tool-call", id: call.call_id, name, input: call.arguments };
      return { role: "assistant", parts: [part], joins: true };
    }
    case "custom_tool_call": {
      const call = parseAt(items.custom_tool_call, wire, at);
      const part: Part = {
        type: "tool-call",
        id: call.call_id,
        name: flatName(call.namespace, call.name),
        input: wrapInput(call.input),
      };
      return { role: "assistant", parts: [part], joins: true };
    }
    case "tool_search_call":
    case "tool_search_output":
      return decodeSearch(wire, type);
    case "custom_tool_call_output":
    case "function_call_output": {
      const result = parseAt(items.function_call_output, wire, at);
      const parts = decodeContent(result.output, `${at}.output`);
      return { role: "tool", parts: [{ type: "tool-result", callId: result.call_id, parts }], joins: true };
    }
    case "reasoning": {
      const { id, summary, content, encrypted_content: hidden } = parseAt(items.reasoning, wire, at);
      const text = [...joined(summary), ...joined(content)].join("\n\n");
      const isOwn = id ? isOwnReasoning(id) : false;
      const origin = isOwn ? unknownId : {};
      const proof = hidden ? unpackProof(hidden, "encrypted") : origin;
      const part: Part = { type: "reasoning", text, ...(id && !isOwn && { id }), ...proof };
      return { role: "assistant", parts: [part], joins: true };
    }
    case "":
      throw invalidRequest({ reason: "field_required", field: `${at}.type` });
    default:
      return foreignItem(wire, type);
  }
}

type DecodedItem = { role: Role; parts: Part[]; joins: boolean };

function foreignItem(wire: Item, type: string): DecodedItem {
  const part: Part = { type: "foreign", extra: { dialect: "openai-responses", fields: { ...wire } } };
  return { role: type.endsWith("_output") ? "tool" : "assistant", parts: [part], joins: true };
}

/** Decodes the client's own search for tools. A search of the provider stays in its own form. */
function decodeSearch(wire: Item, type: string): DecodedItem {
  const part = type === "tool_search_call" ? decodeSearchCall(wire) : decodeSearchOutput(wire);
  if (part === undefined) return foreignItem(wire, type);
  return { role: part.type === "tool-call" ? "assistant" : "tool", parts: [part], joins: true };
}

/**
 * Decodes the input. Its items are separate; in the IR, consecutive items
 * of an assistant or a tool form one message.
 */
export function decodeInput(input: string | Item[]): Message[] {
  if (typeof input === "string") return [{ role: "user", parts: [{ type: "text", text: input }] }];
  const messages: Message[] = [];
  for (const [index, wire] of input.entries()) {
    // Tools belong to no role; they are decoded with the others.
    if (wire.type === "additional_tools") continue;
    const { role, parts, joins } = decodeItem(wire, `input.${index}`);
    const last = messages.at(-1);
    if (joins && last?.role === role) append(last.parts, parts);
    else messages.push({ role, parts });
  }
  return messages;
}
