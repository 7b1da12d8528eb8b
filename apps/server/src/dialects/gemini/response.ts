import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ChatResponse, Choice, Citation, FinishReason, Part, Usage } from "#dialects/ir.ts";
import { packProof, unpackCallProof, unpackProof } from "#dialects/reasoning/proof.ts";
import { asRecord, compact, inputObject, ownFields, parseAnswer } from "#dialects/wire.ts";
import { GatewayError } from "#errors.ts";
import { decodeMedia } from "./decode-contents.ts";
import { decodeLogprobs, encodeLogprobs } from "./logprobs.ts";
import { type AnswerPart, type GeminiAnswer, geminiAnswer, type Grounding } from "./schema.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";

const filtered = new Set([
  "SAFETY",
  "RECITATION",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "LANGUAGE",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "MODEL_ARMOR",
]);

/** Finish reasons of calls that failed while being generated; earlier calls remain valid. */
const failed = /^(?:MALFORMED|UNEXPECTED|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE)/;

export function decodeFinish(raw: string | null | undefined, calls: boolean): FinishReason {
  if (raw === "STOP") return calls ? "tool-calls" : "stop";
  if (raw === "MAX_TOKENS") return "length";
  if (raw && filtered.has(raw)) return "content-filter";
  if (raw && failed.test(raw)) return calls ? "tool-calls" : "error";
  return "other";
}

export function encodeFinish(reason: FinishReason): string {
  switch (reason) {
    // A paused turn is unfinished, too; this format has no other word for it.
    case "length":
    case "pause":
      return "MAX_TOKENS";
    case "content-filter":
    case "refusal":
      return "SAFETY";
    case "error":
    case "other":
      return "OTHER";
    default:
      return "STOP";
  }
}

/** Decodes citations of web sources. Their offsets count bytes, so only the cited text is kept. */
export function decodeCitations(grounding: Grounding | null | undefined): Citation[] {
  const sources = (grounding?.groundingChunks ?? []).map(
    (chunk) => chunk.web ?? chunk.retrievedContext ?? {},
  );
  const cite = (
    source: { uri?: string | null; title?: string | null } | undefined,
    citedText?: string | null,
  ) =>
    source?.uri
      ? [
          compact<Citation>({
            url: source.uri,
            title: source.title ?? undefined,
            citedText: citedText ?? undefined,
          }),
        ]
      : [];
  const supports = grounding?.groundingSupports ?? [];
  if (supports.length === 0) return sources.flatMap((source) => cite(source));
  return supports.flatMap((support) =>
    (support.groundingChunkIndices ?? []).flatMap((index) => cite(sources[index], support.segment?.text)),
  );
}

export function encodeCitations(citations: Citation[]): Wire | undefined {
  const sources = citations.filter((citation) => citation.url !== undefined);
  if (sources.length === 0) return undefined;
  const queries = new Set(
    sources.flatMap(({ raw }) => {
      const own = ownFields("gemini", raw)?.["webSearchQueries"];
      return Array.isArray(own) ? own : [];
    }),
  );
  return {
    ...(queries.size > 0 && { webSearchQueries: [...queries] }),
    groundingChunks: sources.map(({ url, title }) => ({ web: compact<Wire>({ uri: url, title }) })),
    groundingSupports: sources.flatMap(({ citedText }, index) =>
      citedText === undefined ? [] : [{ segment: { text: citedText }, groundingChunkIndices: [index] }],
    ),
  };
}

/** Returns the number of searches; the provider bills each query. */
export function searchesOf(answer: GeminiAnswer): number {
  return (answer.candidates ?? []).reduce(
    (sum, each) => sum + (each.groundingMetadata?.webSearchQueries?.length ?? 0),
    0,
  );
}

export function isBlocked(answer: GeminiAnswer): boolean {
  return (answer.candidates ?? []).length === 0 && !!answer.promptFeedback?.blockReason;
}

/** Decodes the usage. A blocked prompt without counts was not read, so both are 0. */
export function usageIn(metadata: unknown, searches: number, isBlocked: boolean): Usage | undefined {
  const usage = decodeUsage(metadata, searches);
  if (usage !== undefined || !isBlocked || asRecord(metadata) === undefined) return usage;
  return { input: 0, output: 0, raw: metadata };
}

/**
 * Returns an id for a call without one: unique among all responses. It is the same on each read, except for
 * servers that send no id of the response either.
 */
export function callId(answerId: string, choice: number, part: number): string {
  if (answerId === "") return `call_${crypto.randomUUID().replaceAll("-", "")}`;
  return `call_${answerId.replaceAll(/[^\w-]/g, "")}_${choice}_${part}`;
}

function decodePart(wire: AnswerPart, id: string): Part[] {
  const signature = wire.thoughtSignature ? unpackProof(wire.thoughtSignature, "signature") : {};
  if (wire.functionCall) {
    const input = JSON.stringify(asRecord(wire.functionCall.args) ?? {});
    const call = { id: wire.functionCall.id || id, name: wire.functionCall.name ?? "", input };
    return [{ type: "tool-call", ...call, ...unpackCallProof(wire.thoughtSignature) }];
  }
  if (wire.inlineData?.data)
    return [decodeMedia(wire.inlineData.mimeType ?? "image/png", wire.inlineData.data)];
  if (typeof wire.text !== "string") return [{ type: "foreign", extra: { dialect: "gemini", fields: wire } }];
  if (wire.thought === true) return [{ type: "reasoning", text: wire.text, ...signature }];
  const spoken: Part[] = wire.text === "" ? [] : [{ type: "text", text: wire.text }];
  return wire.thoughtSignature ? [...spoken, { type: "reasoning", text: "", ...signature }] : spoken;
}

export function decodeResponse(body: unknown): ChatResponse {
  const wire = parseAnswer(geminiAnswer, body);
  if (!wire.candidates && !wire.promptFeedback) {
    throw new GatewayError("upstream_failed", { reason: "upstream_unreadable" });
  }
  const id = wire.responseId ?? "";
  const choices = (wire.candidates ?? []).map((candidate, position) => {
    const index = candidate.index ?? position;
    const parts = (candidate.content?.parts ?? []).flatMap((part, at) =>
      decodePart(part, callId(id, index, at)),
    );
    const citations = decodeCitations(candidate.groundingMetadata);
    const text = parts.findLast((part) => part.type === "text");
    if (text?.type === "text" && citations.length > 0) text.citations = citations;
    const calls = parts.some((part) => part.type === "tool-call");
    return compact<Choice>({
      index,
      parts,
      finish: decodeFinish(candidate.finishReason, calls),
      finishRaw: candidate.finishReason ?? undefined,
      logprobs: decodeLogprobs(candidate.logprobsResult),
    });
  });
  if (choices.length === 0) {
    const finishRaw = wire.promptFeedback?.blockReason ?? undefined;
    choices.push(compact<Choice>({ index: 0, parts: [], finish: "content-filter", finishRaw }));
  }
  return compact<ChatResponse>({
    id,
    model: wire.modelVersion ?? "",
    choices,
    usage: usageIn(wire.usageMetadata, searchesOf(wire), isBlocked(wire)),
  });
}

/** Encodes a response part; calls include their complete input. */
export function encodePart(part: Part): Wire[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ text: part.text }];
    case "reasoning": {
      const proof = packProof(part, "signature", "gemini");
      const signature = proof === undefined ? {} : { thoughtSignature: proof };
      if (part.text !== "") return [{ text: part.text, thought: true, ...signature }];
      return proof === undefined ? [] : [{ text: "", ...signature }];
    }
    case "tool-call": {
      const { signature: own, origin } = part;
      const proof = packProof({ signature: own, origin }, "signature", "gemini");
      const signature = proof === undefined ? {} : { thoughtSignature: proof };
      return [
        { functionCall: { id: part.id, name: part.name, args: inputObject(part.input) }, ...signature },
      ];
    }
    case "image":
    case "audio":
    case "file": {
      const { source } = part;
      if (source.type === "data") return [{ inlineData: { mimeType: source.mediaType, data: source.data } }];
      if (source.type === "file") return [];
      return [{ fileData: compact<Wire>({ fileUri: source.url, mimeType: source.mediaType }) }];
    }
    case "foreign": {
      const own = ownFields("gemini", part.extra);
      return own === undefined ? [] : [own];
    }
    default:
      return [];
  }
}

export function encodeResponse(response: ChatResponse, request: ChatRequest): Wire {
  return compact<Wire>({
    candidates: response.choices.map(({ index, parts, finish, logprobs }) => {
      const citations = parts.flatMap((part) => (part.type === "text" ? (part.citations ?? []) : []));
      return compact<Wire>({
        content: { parts: parts.flatMap(encodePart), role: "model" },
        finishReason: encodeFinish(finish),
        index,
        groundingMetadata: encodeCitations(citations),
        logprobsResult: encodeLogprobs(logprobs),
      });
    }),
    usageMetadata: response.usage === undefined ? undefined : encodeUsage(response.usage),
    modelVersion: response.model || request.model,
    responseId: response.id || crypto.randomUUID(),
  });
}
