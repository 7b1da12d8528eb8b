import { append } from "#dialects/append.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ChatResponse, Choice, FinishReason, Part } from "#dialects/ir.ts";
import { addressOf, soundText } from "#dialects/media/media.ts";
import { packProof } from "#dialects/reasoning/proof.ts";
import { asRecord, compact, inputObject, ownFields, parseAnswer } from "#dialects/wire.ts";
import { decodeCitation, encodeCitation } from "./citation.ts";
import { answer, type AnswerBlock, type StopDetails } from "./schema.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";

export function decodeFinish(raw: string | null | undefined): FinishReason {
  switch (raw) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "tool_use":
      return "tool-calls";
    case "pause_turn":
      return "pause";
    case "refusal":
      // A classifier stopped the model; this can happen at any point of the response.
      return "content-filter";
    default:
      return "other";
  }
}

export function encodeFinish(reason: FinishReason): string {
  switch (reason) {
    case "length":
      return "max_tokens";
    case "tool-calls":
      return "tool_use";
    case "content-filter":
    case "refusal":
      return "refusal";
    case "pause":
      return "pause_turn";
    default:
      return "end_turn";
  }
}

/** Returns an input object as JSON text; an absent one means no arguments. */
function inputText(input: unknown): string {
  return JSON.stringify(asRecord(input) ?? {});
}

function decodeBlock(block: AnswerBlock): Part {
  switch (block.type) {
    case "text": {
      const citations = (block.citations ?? []).flatMap((each) => decodeCitation(each) ?? []);
      return { type: "text", text: block.text ?? "", ...(citations.length > 0 && { citations }) };
    }
    case "thinking": {
      const signature = block.signature ? { signature: block.signature } : {};
      return { type: "reasoning", text: block.thinking ?? "", ...signature };
    }
    case "redacted_thinking":
      return { type: "reasoning", text: "", encrypted: block.data ?? "" };
    case "tool_use":
      return { type: "tool-call", id: block.id ?? "", name: block.name ?? "", input: inputText(block.input) };
    default:
      return { type: "foreign", extra: { dialect: "anthropic", fields: block } };
  }
}

/** Returns the reason for a refusal, if the provider sent one. */
export function decodeRefusal(details: StopDetails): Array<Extract<Part, { type: "refusal" }>> {
  return details?.explanation ? [{ type: "refusal", text: details.explanation }] : [];
}

export function decodeResponse(body: unknown): ChatResponse {
  const wire = parseAnswer(answer, body);
  const usage = decodeUsage(wire.usage);
  const choice = compact<Choice>({
    index: 0,
    parts: [...wire.content.map(decodeBlock), ...decodeRefusal(wire.stop_details)],
    finish: decodeFinish(wire.stop_reason),
    finishRaw: wire.stop_reason ?? undefined,
  });
  const tier = asRecord(wire.usage)?.["service_tier"];
  return compact<ChatResponse>({
    id: wire.id ?? "",
    model: wire.model ?? "",
    choices: [choice],
    usage,
    serviceTier: typeof tier === "string" ? tier : undefined,
  });
}

/** Returns an image or a sound as text, because responses of this API contain text only. */
export function mediaText(part: Part): string {
  if (part.type === "image" && part.source.type !== "file") {
    return `![image](${addressOf(part.source)})`;
  }
  return part.type === "audio" ? soundText(part) : "";
}

/** The model called the tool itself, not code that it ran. */
export const calledBy = { caller: { type: "direct" } };

function encodeReasoning(part: Extract<Part, { type: "reasoning" }>): Wire {
  const hidden = packProof(part, "encrypted", "anthropic");
  if (part.text === "" && part.encrypted !== undefined && hidden !== undefined) {
    return { type: "redacted_thinking", data: hidden };
  }
  return {
    type: "thinking",
    thinking: part.text,
    signature: packProof(part, "signature", "anthropic") ?? "",
  };
}

/** Returns the proof of a call for a thinking block. */
export function callProof({ signature, origin }: { signature?: string; origin?: string }): string {
  return packProof({ signature, origin }, "signature", "anthropic") ?? "";
}

function encodeBlock(part: Part): Wire[] {
  switch (part.type) {
    case "text": {
      const citations = (part.citations ?? []).flatMap(encodeCitation);
      return [{ type: "text", text: part.text, citations: citations.length > 0 ? citations : null }];
    }
    case "refusal":
      return [{ type: "text", text: part.text, citations: null }];
    case "reasoning":
      return [encodeReasoning(part)];
    case "tool-call":
      return [
        { type: "tool_use", ...calledBy, id: part.id, name: part.name, input: inputObject(part.input) },
      ];
    case "foreign": {
      const own = ownFields("anthropic", part.extra);
      return own === undefined ? [] : [own];
    }
    case "image":
    case "audio": {
      const text = mediaText(part);
      return text === "" ? [] : [{ type: "text", text, citations: null }];
    }
    default:
      return [];
  }
}

/**
 * Encodes the parts. The thinking block before a call carries the call's proof.
 * A proof of the text itself has no field here.
 */
function encodeContent(parts: Part[]): Wire[] {
  const content: Wire[] = [];
  let hasSpoken = false;
  for (const part of parts) {
    if (part.type === "text") hasSpoken = true;
    const isBare = part.type === "reasoning" && part.text === "" && part.encrypted === undefined;
    if (isBare && hasSpoken) continue;
    if (part.type === "tool-call" && part.signature !== undefined) {
      const signature = callProof(part);
      const last = content.at(-1);
      if (last?.["type"] === "thinking" && last["signature"] === "") last["signature"] = signature;
      else content.push({ type: "thinking", thinking: "", signature });
    }
    append(content, encodeBlock(part));
  }
  return content;
}

export function newId(): string {
  return `msg_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Required fields that responses of other providers leave empty. */
export const noDetails = { stop_sequence: null, stop_details: null, container: null, diagnostics: null };

export function encodeResponse(response: ChatResponse, request: ChatRequest): Wire {
  const choice = response.choices[0];
  const stoppedBySequence = choice?.finishRaw === "stop_sequence";
  return {
    id: response.id || newId(),
    type: "message",
    role: "assistant",
    model: response.model || request.model,
    content: encodeContent(choice?.parts ?? []),
    stop_reason: stoppedBySequence ? "stop_sequence" : encodeFinish(choice?.finish ?? "stop"),
    ...noDetails,
    usage: encodeUsage(response.usage),
  };
}
