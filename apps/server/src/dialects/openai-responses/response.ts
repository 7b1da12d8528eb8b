import { append } from "#dialects/append.ts";
import { placeCitation } from "#dialects/citation-place.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ChatResponse, Choice, FinishReason, Part, Usage } from "#dialects/ir.ts";
import { typeOfHead } from "#dialects/media/media-type.ts";
import { soundText } from "#dialects/media/media.ts";
import { packProof, type ReasoningProof, unpackProof } from "#dialects/reasoning/proof.ts";
import { openaiTier } from "#dialects/usage/service-tier.ts";
import { argumentsText, asRecord, compact, ownFields, parseAnswer } from "#dialects/wire.ts";
import { GatewayError } from "#errors.ts";
import { decodeAnnotation } from "./decode-items.ts";
import { callItem, encodeAnnotations } from "./encode-items.ts";
import { wrapInput } from "./freeform.ts";
import { itemIds, type ItemPrefix } from "./item-ids.ts";
import { repeatedIn } from "./repeat.ts";
import { type OutputItem, type WireResponse, wireResponse } from "./schema.ts";
import { decodeSearchCall } from "./tool-search.ts";
import { type OwnName, ownNames } from "./tools.ts";
import { countCall, decodeUsage, encodeUsage } from "./usage.ts";

export function reasoningText(item: OutputItem): string {
  const texts = [...(item.summary ?? []), ...(item.content ?? [])].map((each) => each.text ?? "");
  return texts.filter((text) => text !== "").join("\n\n");
}

export function decodeProof(item: OutputItem): ReasoningProof {
  if (!item.encrypted_content) return {};
  const proof = unpackProof(item.encrypted_content, "encrypted");
  return compact({ ...proof, id: proof.id ?? item.id ?? undefined });
}

/** Converts log probabilities to the form of the IR, which is that of chat completions. */
export function decodeLogprobs(logprobs: unknown[] | null | undefined): unknown {
  return logprobs && logprobs.length > 0 ? { content: logprobs, refusal: null } : undefined;
}

export function encodeLogprobs(logprobs: unknown): unknown[] {
  const content = asRecord(logprobs)?.["content"];
  return Array.isArray(content) ? content : [];
}

function decodeMessage(item: OutputItem): Part[] {
  return (item.content ?? []).map<Part>((content) => {
    if (content.type === "refusal") return { type: "refusal", text: content.refusal ?? "" };
    const citations = (content.annotations ?? []).flatMap((each) => decodeAnnotation(each) ?? []);
    return { type: "text", text: content.text ?? "", ...(citations.length > 0 && { citations }) };
  });
}

/** Returns whether the item is xAI's own search of X, which has the form of a call of the caller's tool. */
export function isOwnCall(item: OutputItem): boolean {
  return item.type === "custom_tool_call" && (item.call_id ?? "").startsWith("xs_call");
}

/** Returns the media type that the provider names, else the one detected from the image's first bytes. */
function imageType({ output_format: format, result }: OutputItem): string {
  return format ? `image/${format}` : (typeOfHead(result ?? "") ?? "image/png");
}

/** Decodes an item to its parts. Images arrive as the result of a call. */
export function decodeItem(item: OutputItem): Part[] {
  switch (isOwnCall(item) ? "" : item.type) {
    case "message":
      return decodeMessage(item);
    case "reasoning":
      return [{ type: "reasoning", text: reasoningText(item), ...decodeProof(item) }];
    case "function_call": {
      const id = item.call_id || item.id || "";
      return [{ type: "tool-call", id, name: item.name ?? "", input: argumentsText(item.arguments) || "{}" }];
    }
    case "custom_tool_call": {
      const id = item.call_id || item.id || "";
      return [{ type: "tool-call", id, name: item.name ?? "", input: wrapInput(argumentsText(item.input)) }];
    }
    case "tool_search_call": {
      const search = decodeSearchCall(item);
      return [search ?? { type: "foreign", extra: { dialect: "openai-responses", fields: item } }];
    }
    case "image_generation_call":
      if (!item.result) return [];
      return [{ type: "image", source: { type: "data", mediaType: imageType(item), data: item.result } }];
    default:
      return [{ type: "foreign", extra: { dialect: "openai-responses", fields: item } }];
  }
}

export function decodeFinish(
  response: WireResponse,
  output: { calls: boolean; refused: boolean },
): FinishReason {
  if (response.status === "incomplete") {
    return response.incomplete_details?.reason === "content_filter" ? "content-filter" : "length";
  }
  if (response.status === "failed" || response.status === "cancelled") return "error";
  if (output.calls) return "tool-calls";
  return output.refused ? "refusal" : "stop";
}

export function finishRaw(response: WireResponse): string | undefined {
  return response.incomplete_details?.reason ?? response.status ?? undefined;
}

export function decodeResponse(body: unknown): ChatResponse {
  const wire = parseAnswer(wireResponse, body);
  if (wire.output === undefined || wire.output === null || wire.status === "failed") {
    throw new GatewayError("upstream_failed", { reason: "upstream_incomplete" });
  }
  const parts = wire.output.flatMap(decodeItem);
  const calls: Record<string, number> = {};
  for (const item of wire.output) countCall(calls, item.type);
  const output = {
    calls: parts.some((part) => part.type === "tool-call"),
    refused: parts.some((part) => part.type === "refusal"),
  };
  const logprobs = wire.output.flatMap((item) => (item.content ?? []).flatMap((each) => each.logprobs ?? []));
  const choice = compact<Choice>({
    index: 0,
    parts,
    finish: decodeFinish(wire, output),
    finishRaw: finishRaw(wire),
    logprobs: decodeLogprobs(logprobs),
  });
  return compact<ChatResponse>({
    id: wire.id ?? "",
    model: wire.model ?? "",
    created: wire.created_at ?? undefined,
    choices: [choice],
    usage: decodeUsage(wire.usage, calls),
    serviceTier: wire.service_tier ?? undefined,
  });
}

function newResponseId(): string {
  return `resp_${crypto.randomUUID().replaceAll("-", "")}`;
}

export function reasoningItem(
  id: string,
  text: string,
  proof: Pick<ReasoningProof, "signature" | "encrypted" | "origin">,
): Wire {
  const { signature, encrypted, origin } = proof;
  const hidden = packProof({ signature, encrypted, origin }, "encrypted", "openai-responses");
  return compact<Wire>({
    id,
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    encrypted_content: hidden,
  });
}

export function imageItem(id: string, { data, mediaType }: { data: string; mediaType: string }): Wire {
  const format = (typeOfHead(data) ?? mediaType).split("/")[1] ?? "png";
  return { id, type: "image_generation_call", status: "completed", output_format: format, result: data };
}

type NewId = (prefix: ItemPrefix) => string;

/** Encodes an image: its bytes as an item, its URL as a Markdown image in a message. */
function mediaItem(part: Part, newId: NewId): Wire[] {
  if (part.type !== "image" || part.source.type === "file") return [];
  const { source } = part;
  if (source.type === "data") return [imageItem(newId("msg"), source)];
  return messageItem([{ type: "text", text: `![image](${source.url})` }], newId);
}

function messageItem(parts: Part[], newId: NewId, logprobs?: unknown): Wire[] {
  const content = parts.flatMap<Wire>((part) => {
    if (part.type === "refusal") return [{ type: "refusal", refusal: part.text }];
    if (part.type !== "text") return [];
    const annotations = encodeAnnotations(
      (part.citations ?? []).map((each) => placeCitation(each, part.text)),
    );
    return [{ type: "output_text", text: part.text, annotations, logprobs: encodeLogprobs(logprobs) }];
  });
  if (content.length === 0) return [];
  return [{ id: newId("msg"), type: "message", status: "completed", role: "assistant", content }];
}

function encodeOutput(choice: Choice | undefined, names: ReadonlyMap<string, OwnName>, newId: NewId): Wire[] {
  const output: Wire[] = [];
  let spoken: Part[] = [];
  const flush = () => {
    append(output, messageItem(spoken, newId, choice?.logprobs));
    spoken = [];
  };
  for (const part of choice?.parts ?? []) {
    if (part.type === "text" || part.type === "refusal") {
      spoken.push(part);
      continue;
    }
    if (part.type === "audio") {
      spoken.push({ type: "text", text: soundText(part) });
      continue;
    }
    flush();
    if (part.type === "reasoning") output.push(reasoningItem(part.id ?? newId("rs"), part.text, part));
    else if (part.type === "tool-call") {
      // This format has no field for a call's proof.
      // A reasoning item before the call carries it and is sent back with it.
      const { signature, origin } = part;
      if (signature !== undefined) output.push(reasoningItem(newId("rs"), "", { signature, origin }));
      const own = names.get(part.name);
      output.push(callItem(newId(prefixOf(own)), part, own));
    } else if (part.type === "image") append(output, mediaItem(part, newId));
    else if (part.type === "foreign") {
      const own = ownFields("openai-responses", part.extra);
      if (own !== undefined) output.push(own);
    }
  }
  flush();
  return output;
}

/** Returns the prefix of the id of a call's item. */
export function prefixOf(own: OwnName | undefined): ItemPrefix {
  if (own?.form === "tool_search") return "tsc";
  return own?.form === "custom" ? "ctc" : "fc";
}

function incompleteReason(finish: FinishReason): string | undefined {
  // A paused turn is unfinished, too; this format has no other word for it.
  if (finish === "length" || finish === "pause") return "max_output_tokens";
  return finish === "content-filter" ? "content_filter" : undefined;
}

/** Returns the fields of a response object other than its output: its id and the request's settings. */
export function responseHead(request: ChatRequest, id: string, model: string, created: number): Wire {
  return {
    // An id of another provider need not be unique, and a later call may refer to this one.
    id: id.startsWith("resp_") ? id : newResponseId(),
    object: "response",
    created_at: created,
    completed_at: null,
    background: false,
    error: null,
    model,
    service_tier: "default",
    ...repeatedIn(request),
  };
}

/** Returns the complete response object. The stream's last event and the plain response are the same. */
export function completeResponse(
  head: Wire,
  output: Wire[],
  finish: FinishReason,
  usage: Usage | undefined,
): Wire {
  const reason = incompleteReason(finish);
  return {
    ...head,
    status: reason === undefined ? "completed" : "incomplete",
    completed_at: reason === undefined ? Math.floor(Date.now() / 1000) : null,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: usage === undefined ? null : encodeUsage(usage),
  };
}

export function encodeResponse(response: ChatResponse, request: ChatRequest): Wire {
  const choice = response.choices[0];
  const created = response.created ?? Math.floor(Date.now() / 1000);
  const head = responseHead(request, response.id, response.model || request.model, created);
  return completeResponse(
    { ...head, service_tier: openaiTier(response.serviceTier) ?? head["service_tier"] },
    encodeOutput(choice, ownNames(request), itemIds(head["id"])),
    choice?.finish ?? "stop",
    response.usage,
  );
}
