import { z } from "zod";
import { append } from "#dialects/append.ts";
import { placeCitation } from "#dialects/citation-place.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ChatResponse, Choice, Citation, FinishReason, Part } from "#dialects/ir.ts";
import { addressOf, audioFormat, audioMediaType, sourceOfUrl } from "#dialects/media/media.ts";
import { openaiTier } from "#dialects/usage/service-tier.ts";
import { argumentsText, asRecord, compact, parseAnswer, readAs } from "#dialects/wire.ts";
import { customNames, encodeCustomCall } from "./custom-tools.ts";
import { callSignature, decodeReasoningDetails } from "./decode-messages.ts";
import { encodeReasoningDetails, encodeToolCall } from "./encode-messages.ts";
import { wantsOldCalls } from "./request.ts";
import { type ChatAnswerMessage, chatAnswer } from "./schema.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";

/**
 * Returns the unified finish reason. With calls it is `tool-calls`, even where a provider reports "stop".
 * Besides OpenAI's values, it reads those of Baidu, 01.AI (`content_filter: …`), DeepSeek, vLLM, Xiaomi and Zhipu.
 */
export function decodeFinish(raw: string | null | undefined, calls: boolean): FinishReason {
  if (raw?.startsWith("content_filter")) return "content-filter";
  switch (raw) {
    case "stop":
    case "eos":
    case "end_turn":
    case "normal":
      return calls ? "tool-calls" : "stop";
    case "length":
    case "max_tokens":
    case "model_context_window_exceeded":
    case "repetition_truncation":
      return "length";
    case "tool_calls":
    case "function_call":
      return "tool-calls";
    case "sensitive":
      return "content-filter";
    case "error":
    case "abort":
    case "network_error":
    case "insufficient_system_resource":
      return "error";
    default:
      return calls ? "tool-calls" : "other";
  }
}

/** A refusal ends with "stop" in this format. */
export function withRefusal(reason: FinishReason, isRefusal: boolean): FinishReason {
  return reason === "stop" && isRefusal ? "refusal" : reason;
}

export function encodeFinish(reason: FinishReason, spokenRefusal: boolean, oldCalls: boolean): string {
  switch (reason) {
    // A paused turn is unfinished, too; this format has no other word for it.
    case "length":
    case "pause":
      return "length";
    case "tool-calls":
      return oldCalls ? "function_call" : "tool_calls";
    case "content-filter":
      return "content_filter";
    case "refusal":
      return spokenRefusal ? "stop" : "content_filter";
    default:
      return "stop";
  }
}

const textEntry = z.looseObject({ type: z.literal("text"), text: z.string() });
const thinkingEntry = z.looseObject({ type: z.literal("thinking"), thinking: z.unknown() });

const reasoningEntry = z.looseObject({ type: z.literal("reasoning"), summary: z.array(z.unknown()) });
const someText = z.looseObject({ text: z.string() });

/** Returns Mistral's thinking, a list of texts or one text; Databricks calls it a summary. */
function thoughtsOf(entry: unknown): unknown[] {
  const thinking = readAs(thinkingEntry, entry)?.thinking ?? readAs(reasoningEntry, entry)?.summary;
  if (typeof thinking === "string") return [{ text: thinking }];
  return Array.isArray(thinking) ? thinking : [];
}

/** Reads a content. It is a string at most providers; some send a list with thinking and text. */
export function readContent(
  content: ChatAnswerMessage["content"],
): Array<{ thought: boolean; text: string }> {
  if (typeof content === "string") return content === "" ? [] : [{ thought: false, text: content }];
  return (content ?? []).flatMap<{ thought: boolean; text: string }>((entry) => {
    const text = typeof entry === "string" ? entry : readAs(textEntry, entry)?.text;
    if (text !== undefined) return [{ thought: false, text }];
    return thoughtsOf(entry).flatMap((each) => {
      const thought = readAs(someText, each)?.text;
      return thought === undefined ? [] : [{ thought: true, text: thought }];
    });
  });
}

const citedPage = z.looseObject({
  url: z.string(),
  title: z.string().nullish(),
  start_index: z.number().nullish(),
  end_index: z.number().nullish(),
  content: z.string().nullish(),
  summary: z.string().nullish(),
});

export function decodeCitation(value: unknown): Citation | undefined {
  // Xiaomi does not wrap it in an object.
  const cited = readAs(citedPage, asRecord(value)?.["url_citation"] ?? value);
  if (cited === undefined) return undefined;
  return compact<Citation>({
    url: cited.url,
    title: cited.title ?? undefined,
    citedText: cited.content ?? cited.summary ?? undefined,
    start: cited.start_index ?? undefined,
    end: cited.end_index ?? undefined,
  });
}

/** Encodes the citations that have a URL; this format supports no others. */
export function encodeCitations(citations: Citation[]): Wire[] {
  const wire: Wire[] = [];
  for (const { url, title, start, end } of citations) {
    if (url === undefined) continue;
    const cited = { url, title: title ?? url, start_index: start ?? 0, end_index: end ?? 0 };
    wire.push({ type: "url_citation", url_citation: cited });
  }
  return wire;
}

const imageEntry = z.looseObject({ image_url: z.looseObject({ url: z.string() }) });

export function decodeImages(images: ChatAnswerMessage["images"]): Part[] {
  return (images ?? []).flatMap((value) => {
    const url = readAs(imageEntry, value)?.image_url.url;
    return url === undefined ? [] : [{ type: "image" as const, source: sourceOfUrl(url) }];
  });
}

/** Returns a list with one image, or an empty list when the image is only an id at its provider. */
export function encodeImage(part: Extract<Part, { type: "image" }>): Wire[] {
  if (part.source.type === "file") return [];
  return [{ type: "image_url", image_url: { url: addressOf(part.source) } }];
}

export function decodeAudio(audio: NonNullable<ChatAnswerMessage["audio"]>, format = "wav"): Part {
  return compact<Part>({
    type: "audio",
    source: { type: "data", mediaType: audioMediaType(format), data: audio.data ?? "" },
    transcript: audio.transcript ?? undefined,
    id: audio.id ?? undefined,
  });
}

function decodeCalls(message: ChatAnswerMessage, id: string): Part[] {
  const calls = message.tool_calls ?? [];
  const legacy = message.function_call;
  const parts = calls.flatMap<Part>((call, index) => {
    if (!call.function?.name) return [{ type: "foreign", extra: { dialect: "openai-chat", fields: call } }];
    return [
      {
        type: "tool-call",
        id: call.id || `call_${id}_${index}`,
        name: call.function.name,
        input: argumentsText(call.function.arguments) || "{}",
        ...callSignature(call.extra_content),
      },
    ];
  });
  if (legacy?.name) {
    parts.push({
      type: "tool-call",
      id: `call_${legacy.name}`,
      name: legacy.name,
      input: argumentsText(legacy.arguments) || "{}",
    });
  }
  return parts;
}

function decodeParts(message: ChatAnswerMessage, id: string): Part[] {
  const parts = decodeReasoningDetails(message.reasoning_details ?? []);
  const reasoning = message.reasoning_content ?? message.reasoning;
  if (!parts.some((part) => part.type === "reasoning" && part.text !== "") && reasoning) {
    parts.unshift({ type: "reasoning", text: reasoning });
  }
  const citations = (message.annotations ?? []).flatMap((each) => decodeCitation(each) ?? []);
  for (const piece of readContent(message.content)) {
    parts.push(piece.thought ? { type: "reasoning", text: piece.text } : { type: "text", text: piece.text });
  }
  const text = parts.findLast((part) => part.type === "text");
  if (text?.type === "text" && citations.length > 0) text.citations = citations;
  if (message.refusal) parts.push({ type: "refusal", text: message.refusal });
  if (message.audio) parts.push(decodeAudio(message.audio));
  return [...parts, ...decodeImages(message.images), ...decodeCalls(message, id)];
}

export function decodeResponse(body: unknown): ChatResponse {
  const answer = parseAnswer(chatAnswer, body);
  const id = answer.id ?? "";
  return compact<ChatResponse>({
    id,
    model: answer.model ?? "",
    created: answer.created ?? undefined,
    choices: answer.choices.map((choice, index) => {
      const parts = decodeParts(choice.message ?? {}, id);
      const calls = parts.some((part) => part.type === "tool-call");
      const isRefusal = parts.some((part) => part.type === "refusal");
      return compact<Choice>({
        index: choice.index ?? index,
        parts,
        finish: withRefusal(decodeFinish(choice.finish_reason, calls), isRefusal),
        finishRaw: choice.finish_reason ?? undefined,
        logprobs: choice.logprobs ?? undefined,
      });
    }),
    usage: decodeUsage(answer.usage),
    serviceTier: answer.service_tier ?? undefined,
  });
}

function encodeMessage(parts: Part[], custom: ReadonlySet<string>, oldCalls: boolean): Wire {
  const message: Wire = { role: "assistant", content: null, refusal: null };
  const calls: Wire[] = [];
  const annotations: Wire[] = [];
  const images: Wire[] = [];
  let text: string | undefined;
  let reasoning = "";
  for (const part of parts) {
    switch (part.type) {
      case "text": {
        const before: string = text ?? "";
        const cited = (part.citations ?? []).map((each) => placeCitation(each, part.text, before.length));
        text = before + part.text;
        append(annotations, encodeCitations(cited));
        break;
      }
      case "reasoning":
        reasoning += part.text;
        break;
      case "refusal":
        message["refusal"] = part.text;
        break;
      case "tool-call":
        calls.push(custom.has(part.name) ? encodeCustomCall(part) : encodeToolCall(part));
        break;
      case "image":
        append(images, encodeImage(part));
        break;
      case "audio":
        message["audio"] = encodeAudio(part);
        break;
      case "file":
      case "tool-result":
      case "foreign":
        break;
    }
  }
  if (text !== undefined) message["content"] = text;
  if (reasoning !== "") message["reasoning_content"] = reasoning;
  const details = encodeReasoningDetails(parts);
  if (details !== undefined) message["reasoning_details"] = details;
  if (annotations.length > 0) message["annotations"] = annotations;
  if (images.length > 0) message["images"] = images;
  // The old format allows one call; the model makes the next one after this result.
  if (oldCalls && calls[0] !== undefined) message["function_call"] = calls[0]["function"];
  else if (calls.length > 0) message["tool_calls"] = calls;
  return message;
}

export function encodeAudio(part: Extract<Part, { type: "audio" }>): Wire {
  const data = part.source.type === "data" ? part.source.data : "";
  const format =
    part.format ?? (part.source.type === "data" ? audioFormat(part.source.mediaType) : undefined);
  return compact<Wire>({ id: part.id ?? "audio", data, transcript: part.transcript ?? "", format });
}

export function newId(): string {
  return `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`;
}

export function encodeResponse(response: ChatResponse, request: ChatRequest): Wire {
  const custom = customNames(request);
  const oldCalls = wantsOldCalls(request);
  return compact<Wire>({
    id: response.id || newId(),
    object: "chat.completion",
    created: response.created ?? Math.floor(Date.now() / 1000),
    model: response.model || request.model,
    choices: response.choices.map((choice) => ({
      index: choice.index,
      message: encodeMessage(choice.parts, custom, oldCalls),
      logprobs: choice.logprobs ?? null,
      finish_reason: encodeFinish(
        choice.finish,
        choice.parts.some((part) => part.type === "refusal"),
        oldCalls,
      ),
    })),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
    service_tier: openaiTier(response.serviceTier),
  });
}
