import { lookupTable } from "@gateway/shared/lookup-table";
import type { z } from "zod";
import { append } from "#dialects/append.ts";
import type { Citation, Extra, MediaSource, Message, Part, Role } from "#dialects/ir.ts";
import { audioMediaType, isDataUrl, sourceOfUrl } from "#dialects/media/media.ts";
import { unpackProof } from "#dialects/reasoning/proof.ts";
import { asRecord, compact, fieldsIn, parseAt, withExtra } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { wrapInput } from "./freeform.ts";
import { flatName } from "./grouped.ts";
import { isOwnReasoning } from "./item-ids.ts";
import { contentPart, contentParts, type item, items } from "./schema.ts";
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

const fieldsOf = (type: keyof typeof contentParts, ...more: string[]): ReadonlySet<string> =>
  new Set([...fieldsIn(contentPart, contentParts[type]), ...more]);

/** `logprobs` is a field of a response, which clients send back. */
const textFields = fieldsOf("text", "logprobs");
const partFields = lookupTable<ReadonlySet<string>>({
  input_text: textFields,
  output_text: textFields,
  text: textFields,
  refusal: fieldsOf("refusal"),
  input_image: fieldsOf("input_image"),
  input_file: fieldsOf("input_file"),
  input_audio: fieldsOf("input_audio"),
});

function decodePart(wire: { type: string }, at: string): Part {
  const part = decodeKnownPart(wire, at);
  const known = partFields[wire.type];
  return known === undefined ? part : withExtra(part, "openai-responses", wire, known);
}

function decodeKnownPart(wire: { type: string }, at: string): Part {
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

const textsOf = (texts: Array<{ text: string }> | null | undefined) => (texts ?? []).map((each) => each.text);

/**
 * The origin of reasoning without a proof, whose id this gateway gave to it. No provider knows such an id, and
 * none accepts it.
 */
const unknownId = { origin: "translated" };

/** Fields of a response that clients send back, and that say nothing to a provider. */
const repeated = ["type", "id", "status"];
const messageFields: ReadonlySet<string> = new Set([...repeated, ...fieldsIn(items.message)]);
const itemFields = lookupTable<ReadonlySet<string>>({
  function_call: new Set([...repeated, ...fieldsIn(items.function_call)]),
  custom_tool_call: new Set([...repeated, ...fieldsIn(items.custom_tool_call)]),
  function_call_output: new Set([...repeated, ...fieldsIn(items.function_call_output), "name", "namespace"]),
  custom_tool_call_output: new Set([...repeated, ...fieldsIn(items.custom_tool_call_output)]),
  reasoning: new Set([...repeated, ...fieldsIn(items.reasoning)]),
});

/** Decodes one item with its role; the caller joins consecutive items of one role. */
function decodeItem(wire: Item, at: string): DecodedItem {
  const decoded = decodeKnownItem(wire, at);
  const known = itemFields[wire.type ?? ""];
  const [part] = decoded.parts;
  if (known === undefined || part === undefined || part.type === "foreign") return decoded;
  return { ...decoded, parts: [withExtra(part, "openai-responses", wire, known)] };
}

function decodeKnownItem(wire: Item, at: string): DecodedItem {
  const type = wire.type ?? (wire.role ? "message" : "");
  switch (type) {
    case "message": {
      const message = parseAt(items.message, wire, at);
      const parts = decodeContent(message.content, `${at}.content`);
      const { extra } = withExtra({}, "openai-responses", wire, messageFields);
      return { role: message.role, parts, joins: message.role === "assistant" && extra === undefined, extra };
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
      const { call_id: callId, output } = parseAt(items[type], wire, at);
      if (!callId) return foreignItem(wire, type);
      const parts = decodeContent(output, `${at}.output`);
      return { role: "tool", parts: [{ type: "tool-result", callId, parts }], joins: true };
    }
    case "reasoning": {
      const { id, summary, content, encrypted_content: hidden } = parseAt(items.reasoning, wire, at);
      const text = [...textsOf(summary), ...textsOf(content)].join("\n\n");
      const isOwn = id ? isOwnReasoning(id) : false;
      const origin = isOwn ? unknownId : {};
      const proof = hidden ? unpackProof(hidden, "encrypted") : origin;
      const part: Part = { type: "reasoning", text, ...(id && !isOwn && { id }), ...proof };
      return { role: "assistant", parts: [part], joins: true };
    }
    case "":
      // The type of a reference may be omitted.
      if (typeof wire["id"] === "string")
        return foreignItem({ ...wire, type: "item_reference" }, "item_reference");
      throw invalidRequest({ reason: "field_required", field: `${at}.type` });
    default:
      return foreignItem(wire, type);
  }
}

type DecodedItem = { role: Role; parts: Part[]; joins: boolean; extra?: Extra | undefined };

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
    const { role, parts, joins, extra } = decodeItem(wire, `input.${index}`);
    const last = messages.at(-1);
    if (joins && last?.role === role && last.extra === undefined) append(last.parts, parts);
    else messages.push({ role, parts, ...(extra !== undefined && { extra }) });
  }
  return messages;
}
