import { z } from "zod";
import { append } from "#dialects/append.ts";
import { withCache } from "#dialects/cache-control.ts";
import type { Message, Part } from "#dialects/ir.ts";
import { audioMediaType, sourceOfUrl } from "#dialects/media/media.ts";
import { originOfFormat } from "#dialects/reasoning/proof.ts";
import { fieldsIn, parseAt, withExtra } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { decodeCustomCall } from "./custom-tools.ts";
import {
  type chatFunctionCall,
  chatMessage,
  chatMessages,
  chatPart,
  chatParts,
  type chatReasoningDetail,
  type chatToolCall,
} from "./schema.ts";

type Content = string | Array<{ type: string }> | null | undefined;

/** Decodes an image URL. It may contain a document: data that is not an image becomes a file. */
function decodeImage(wire: z.infer<typeof chatParts.image_url>): Part {
  const { url, detail } = wire.image_url;
  const source = sourceOfUrl(url);
  if (source.type === "data" && !source.mediaType.startsWith("image/")) {
    return withCache({ type: "file" as const, source }, wire.cache_control);
  }
  return withCache({ type: "image" as const, source, ...(detail && { detail }) }, wire.cache_control);
}

function decodeFile(wire: z.infer<typeof chatParts.file>, at: string): Part {
  const { file_id: id, file_data: data, filename } = wire.file;
  if (!id && !data) throw invalidRequest({ reason: "file_empty", field: `${at}.file` });
  const source = id
    ? { type: "file" as const, id }
    : sourceOfUrl(data?.startsWith("data:") ? data : `data:application/pdf;base64,${data ?? ""}`);
  return withCache({ type: "file" as const, source, ...(filename && { filename }) }, wire.cache_control);
}

const partFields = fieldsIn(chatPart, ...Object.values(chatParts));
/** The last two are fields of a response, which clients send back. */
const messageFields: ReadonlySet<string> = new Set([
  ...fieldsIn(chatMessage, ...Object.values(chatMessages)),
  "annotations",
  "images",
]);

function decodePart(wire: { type: string }, at: string): Part {
  const part = decodeKnownPart(wire, at);
  return part.type === "foreign" ? part : withExtra(part, "openai-chat", wire, partFields);
}

function decodeKnownPart(wire: { type: string }, at: string): Part {
  switch (wire.type) {
    case "text": {
      const part = parseAt(chatParts.text, wire, at);
      return withCache({ type: "text" as const, text: part.text }, part.cache_control);
    }
    case "refusal":
      return { type: "refusal", text: parseAt(chatParts.refusal, wire, at).refusal };
    case "image_url":
      return decodeImage(parseAt(chatParts.image_url, wire, at));
    case "input_audio": {
      const { data, format } = parseAt(chatParts.input_audio, wire, at).input_audio;
      return { type: "audio", source: { type: "data", mediaType: audioMediaType(format), data }, format };
    }
    case "file":
      return decodeFile(parseAt(chatParts.file, wire, at), at);
    default:
      return { type: "foreign", extra: { dialect: "openai-chat", fields: { ...wire } } };
  }
}

function decodeContent(content: Content, at: string): Part[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((part, index) => decodePart(part, `${at}.content.${index}`));
}

/**
 * Decodes reasoning parts with their proofs. An encrypted detail completes the text detail with the same id.
 */
export function decodeReasoningDetails(details: Array<z.infer<typeof chatReasoningDetail>>): Part[] {
  const parts: Array<Extract<Part, { type: "reasoning" }>> = [];
  for (const detail of details) {
    const last = parts.at(-1);
    const id = detail.id ? { id: detail.id } : {};
    const origin = detail.data || detail.signature ? originOfFormat(detail.format) : {};
    if (detail.type === "reasoning.encrypted" && detail.data) {
      if (last?.id !== undefined && last.id === detail.id)
        Object.assign(last, { encrypted: detail.data, ...origin });
      else parts.push({ type: "reasoning", text: "", encrypted: detail.data, ...id, ...origin });
    } else if (detail.type === "reasoning.text" || detail.type === "reasoning.summary") {
      const text = detail.text ?? detail.summary ?? "";
      const signature = detail.signature ? { signature: detail.signature } : {};
      if (text !== "" || detail.signature)
        parts.push({ type: "reasoning", text, ...signature, ...id, ...origin });
    }
  }
  return parts;
}

/**
 * Returns the signature that must be sent back with a call. Google's own chat endpoint documents this field.
 */
export function callSignature(extraContent: unknown): { signature?: string } {
  const signature = callExtra.safeParse(extraContent).data?.google.thought_signature;
  return signature === undefined ? {} : { signature };
}

const callExtra = z.looseObject({ google: z.looseObject({ thought_signature: z.string() }) });

function decodeToolCall(call: z.infer<typeof chatToolCall>, at: string): Part {
  if (call.type === "custom") return decodeCustomCall(call.id, call["custom"], at);
  if (!call.function) return { type: "foreign", extra: { dialect: "openai-chat", fields: call } };
  const { name, arguments: input } = call.function;
  return { type: "tool-call", id: call.id, name, input, ...callSignature(call.extra_content) };
}

/**
 * Number of calls per function so far, in the old format without ids. A result belongs to the latest call.
 */
type OldCalls = Map<string, number>;

const oldCallId = (name: string, calls: OldCalls) => `call_${name}_${calls.get(name) ?? 0}`;

function oldCall({ name, arguments: input }: z.infer<typeof chatFunctionCall>, calls: OldCalls): Part {
  calls.set(name, (calls.get(name) ?? 0) + 1);
  return { type: "tool-call", id: oldCallId(name, calls), name, input };
}

function decodeAssistant(wire: unknown, at: string, calls: OldCalls): Message {
  const message = parseAt(chatMessages.assistant, wire, at);
  const parts = decodeReasoningDetails(message.reasoning_details ?? []);
  const reasoning = message.reasoning_content ?? message.reasoning;
  if (parts.length === 0 && reasoning) parts.push({ type: "reasoning", text: reasoning });
  append(parts, decodeContent(message.content, at));
  if (message.refusal) parts.push({ type: "refusal", text: message.refusal });
  if (message.audio) {
    const id = message.audio.id;
    parts.push({ type: "audio", source: { type: "file", id }, id });
  }
  append(
    parts,
    (message.tool_calls ?? []).map((call, index) => decodeToolCall(call, `${at}.tool_calls.${index}`)),
  );
  if (message.function_call) parts.push(oldCall(message.function_call, calls));
  return withName({ role: "assistant", parts }, message.name);
}

function withName(message: Message, name: string | null | undefined): Message {
  return name ? { ...message, name } : message;
}

type ChatMessage = { role: keyof typeof chatMessages };

/** Decodes the messages. Throws `invalidRequest`. */
export function decodeMessages(messages: ChatMessage[]): Message[] {
  const calls: OldCalls = new Map();
  return messages.map((message, index) => {
    const decoded = decodeMessage(message, `messages.${index}`, calls);
    return withExtra(decoded, "openai-chat", message, messageFields);
  });
}

/** Decodes a message. `at` is its path in the request, for errors. */
function decodeMessage(wire: ChatMessage, at: string, calls: OldCalls): Message {
  switch (wire.role) {
    case "assistant":
      return decodeAssistant(wire, at, calls);
    case "tool": {
      const message = parseAt(chatMessages.tool, wire, at);
      const parts = decodeContent(message.content, at);
      return { role: "tool", parts: [{ type: "tool-result", callId: message.tool_call_id, parts }] };
    }
    case "function": {
      const message = parseAt(chatMessages.function, wire, at);
      const parts = decodeContent(message.content, at);
      return {
        role: "tool",
        parts: [{ type: "tool-result", callId: oldCallId(message.name, calls), parts }],
      };
    }
    default: {
      const message = parseAt(chatMessages[wire.role], wire, at);
      return withName({ role: wire.role, parts: decodeContent(message.content, at) }, message.name);
    }
  }
}
