import { append } from "#dialects/append.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { Message, Part } from "#dialects/ir.ts";
import { isTextType } from "#dialects/media/media-type.ts";
import { addressOf, audioFormat, dataUrl, textOfBase64 } from "#dialects/media/media.ts";
import { isFileOf } from "#dialects/media/uploaded-file.ts";
import { formatOfOrigin } from "#dialects/reasoning/proof.ts";
import { addOwnFields, nameOf, ownFields } from "#dialects/wire.ts";

const attached = "(The result is attached to the next message.)";

function textOf(parts: Part[], separator: string): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(separator);
}

/** Encodes a part of a user message; returns undefined when this format has none. */
function encodePart(part: Part): Wire | undefined {
  const wire = encodeKnownPart(part);
  return wire === undefined ? undefined : addOwnFields("openai-chat", wire, part.extra);
}

function encodeKnownPart(part: Part): Wire | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", text: part.text };
    case "image": {
      if (part.source.type === "file") return undefined;
      const url = addressOf(part.source);
      return { type: "image_url", image_url: { url, ...(part.detail && { detail: part.detail }) } };
    }
    case "audio": {
      if (part.source.type !== "data") return undefined;
      const format = part.format ?? audioFormat(part.source.mediaType);
      return { type: "input_audio", input_audio: { data: part.source.data, format } };
    }
    case "file": {
      if (part.source.type === "file") {
        if (!isFileOf(part.source.id, "openai")) return undefined;
        return { type: "file", file: { file_id: part.source.id, filename: part.filename } };
      }
      if (part.source.type === "url") return undefined;
      if (isTextType(part.source.mediaType)) {
        // A question may refer to the file by its name.
        const text = textOfBase64(part.source.data);
        return { type: "text", text: part.filename === undefined ? text : `${part.filename}\n\n${text}` };
      }
      const filename = part.filename ?? `file.${part.source.mediaType.split("/")[1] ?? "bin"}`;
      return { type: "file", file: { filename, file_data: dataUrl(part.source) } };
    }
    case "foreign":
      return ownFields("openai-chat", part.extra);
    default:
      return undefined;
  }
}

function encodeUserContent(parts: Part[], dropped: Set<string>): string | Wire[] {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text" && only.extra === undefined) return only.text;
  const encoded: Wire[] = [];
  for (const part of parts) {
    const wire = encodePart(part);
    if (wire === undefined) dropped.add(nameOf(part));
    else encoded.push(wire);
  }
  return encoded.length === 0 ? "" : encoded;
}

export function encodeReasoningDetails(parts: Part[]): Wire[] | undefined {
  const details: Wire[] = [];
  let proven = false;
  for (const part of parts) {
    if (part.type !== "reasoning") continue;
    const { text, signature, encrypted, id } = part;
    const format = formatOfOrigin(part.origin);
    proven ||= signature !== undefined || encrypted !== undefined || id !== undefined;
    if (text !== "" || signature !== undefined) {
      details.push({ type: "reasoning.text", text, signature, id, format, index: details.length });
    }
    if (encrypted !== undefined) {
      details.push({ type: "reasoning.encrypted", data: encrypted, id, format, index: details.length });
    }
  }
  return proven ? details : undefined;
}

export function encodeToolCall(part: Extract<Part, { type: "tool-call" }>): Wire {
  const call: Wire = {
    id: part.id,
    type: "function",
    function: { name: part.name, arguments: part.input === "" ? "{}" : part.input },
  };
  if (part.signature !== undefined) {
    call["extra_content"] = { google: { thought_signature: part.signature } };
  }
  return call;
}

function encodeAssistant(message: Message, dropped: Set<string>): Wire | undefined {
  const calls: Wire[] = [];
  const spoken: Part[] = [];
  let reasoning = "";
  const wire: Wire = { role: "assistant", content: null };
  for (const part of message.parts) {
    switch (part.type) {
      case "tool-call":
        calls.push(encodeToolCall(part));
        break;
      case "reasoning":
        reasoning += part.text;
        break;
      case "refusal":
        wire["refusal"] = part.text;
        break;
      case "audio":
        if (part.id !== undefined) wire["audio"] = { id: part.id };
        else if (part.transcript) spoken.push({ type: "text", text: part.transcript });
        else dropped.add("audio");
        break;
      case "foreign": {
        const fields = ownFields("openai-chat", part.extra);
        if (fields === undefined) dropped.add(nameOf(part));
        else if (fields["type"] === "custom") calls.push(fields);
        break;
      }
      case "text":
        spoken.push(part);
        break;
      default:
        dropped.add(nameOf(part));
    }
  }
  const text = textOf(spoken, "");
  if (text !== "") wire["content"] = text;
  if (reasoning !== "") wire["reasoning_content"] = reasoning;
  const details = encodeReasoningDetails(message.parts);
  if (details !== undefined) wire["reasoning_details"] = details;
  if (calls.length > 0) wire["tool_calls"] = calls;
  else if (wire["content"] === null && wire["refusal"] === undefined && wire["audio"] === undefined) {
    if (reasoning === "" && details === undefined) return undefined;
    wire["content"] = "";
  }
  if (message.name !== undefined) wire["name"] = message.name;
  return wire;
}

/**
 * Encodes tool results. A tool message is text and belongs to one call;
 * all other parts move to the next user message.
 */
function encodeToolResults(message: Message, attachments: Part[], dropped: Set<string>): Wire[] {
  return message.parts.flatMap((part) => {
    if (part.type !== "tool-result") {
      dropped.add(nameOf(part));
      return [];
    }
    const others = part.parts.filter((each) => each.type !== "text");
    append(attachments, others);
    const text = textOf(part.parts, "\n");
    const content = text === "" && others.some((each) => encodePart(each) !== undefined) ? attached : text;
    return [{ role: "tool", tool_call_id: part.callId, content }];
  });
}

/** Encodes the messages; parts that cannot be expressed are named in `dropped`. */
export function encodeMessages(messages: Message[], dropped: Set<string>): Wire[] {
  const wire: Wire[] = [];
  let attachments: Part[] = [];
  const handOver = () => {
    const parts = attachments;
    attachments = [];
    return parts;
  };
  const sayAttached = () => {
    const content = encodeUserContent(handOver(), dropped);
    if (content !== "") wire.push({ role: "user", content });
  };
  for (const message of messages) {
    const withOwn = (each: Wire) => addOwnFields("openai-chat", each, message.extra);
    if (message.role === "tool") {
      append(wire, encodeToolResults(message, attachments, dropped).map(withOwn));
      continue;
    }
    const name = message.name === undefined ? {} : { name: message.name };
    if (message.role === "user") {
      const parts = [...handOver(), ...message.parts];
      wire.push(withOwn({ role: "user", content: encodeUserContent(parts, dropped), ...name }));
      continue;
    }
    sayAttached();
    if (message.role === "assistant") {
      const assistant = encodeAssistant(message, dropped);
      if (assistant !== undefined) wire.push(withOwn(assistant));
    } else {
      wire.push(withOwn({ role: message.role, content: textOf(message.parts, "\n\n"), ...name }));
    }
  }
  sayAttached();
  return wire;
}
