import type { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { Part } from "#dialects/ir.ts";
import { asRecord, parseAt } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { embedBatch, embedOne } from "./schema.ts";

/** Gemini's embeddings: one text or a batch, natively, or as OpenAI's wire can say it. Pure. */
export interface EmbedRequest {
  batch: boolean;
  texts: string[];
  /** Names of what only this wire can say: pictures, and what the vectors are for. */
  own: string[];
  /** Why OpenAI's wire cannot be asked this at all, if it cannot. */
  untold: { reason: "embed_sizes_differ" | "embed_text_only"; path: string } | undefined;
  dimensions: number | undefined;
  /** Everything to embed, as parts that can be counted. */
  parts: Part[];
}

type One = z.infer<typeof embedOne>;

/** Throws `invalid_request` with the path of the first offending field. */
export function decodeEmbedRequest(body: unknown, batch: boolean): EmbedRequest {
  const requests: One[] = batch ? parseAt(embedBatch, body, "").requests : [parseAt(embedOne, body, "")];
  const own = new Set<string>();
  let untold: EmbedRequest["untold"];
  const counted: Part[] = [];
  const texts = requests.map((request, index) => {
    const at = batch ? `requests.${index}.` : "";
    for (const field of ["taskType", "title", "autoTruncate"] as const)
      if (settingOf(request, field) !== undefined) own.add(field);
    if (dimensionsOf(request) !== dimensionsOf(requests[0]))
      untold ??= {
        reason: "embed_sizes_differ",
        path: `${at}outputDimensionality`,
      };
    const parts = request.content.parts;
    if (parts.length === 0) throw invalidRequest({ reason: "embed_no_part", field: `${at}content.parts` });
    for (const part of parts) counted.push(countedPart(part));
    const strange = parts.findIndex((part) => typeof part.text !== "string");
    if (strange !== -1)
      untold ??= {
        reason: "embed_text_only",
        path: `${at}content.parts.${strange}`,
      };
    return parts.map((part) => part.text ?? "").join("\n");
  });
  return { batch, texts, own: [...own], untold, dimensions: dimensionsOf(requests[0]), parts: counted };
}

/** A part as its tokens are estimated: pictures, sound and files have some, too. */
function countedPart(part: One["content"]["parts"][number]): Part {
  const { inlineData, fileData } = part;
  if (inlineData) {
    const mediaType = inlineData.mimeType ?? "";
    const source = { type: "data" as const, mediaType, data: inlineData.data };
    if (mediaType.startsWith("image/")) return { type: "image", source };
    return mediaType.startsWith("audio/") ? { type: "audio", source } : { type: "file", source };
  }
  if (fileData) return { type: "file", source: { type: "url", url: fileData.fileUri } };
  return { type: "text", text: part.text ?? "" };
}

/** Settings stand beside the content, or, in newer clients, in an object of their own. */
function settingOf(request: One, field: "taskType" | "title" | "autoTruncate"): unknown {
  return request[field] ?? request.embedContentConfig?.[field] ?? undefined;
}

function dimensionsOf(request: One | undefined): number | undefined {
  return request?.outputDimensionality ?? request?.embedContentConfig?.outputDimensionality ?? undefined;
}

/** The body for a provider of this very wire that knows the model by this name. The same object when nothing changes. */
export function adjustEmbed(body: Wire, model: string): Wire {
  const name = `models/${model}`;
  const named = (each: Wire) =>
    each["model"] === undefined || each["model"] === name ? each : { ...each, model: name };
  const whole = named(body);
  const requests = body["requests"];
  if (!Array.isArray(requests)) return whole;
  // Each element of a batch repeats the model.
  const adjusted = requests.map((each) => named(asRecord(each) ?? {}));
  return adjusted.every((each, index) => each === requests[index]) ? whole : { ...whole, requests: adjusted };
}

/** The request on OpenAI's wire. Throws `invalid_request` for what that wire cannot say at all. */
export function openaiEmbed(request: EmbedRequest, model: string): Wire {
  const { untold, texts, dimensions } = request;
  if (untold !== undefined) throw invalidRequest({ reason: untold.reason }, { param: untold.path });
  return {
    model,
    input: texts,
    encoding_format: "float",
    ...(dimensions === undefined ? {} : { dimensions }),
  };
}

export function encodeVectors(vectors: number[][], { batch }: EmbedRequest, tokens: number): Wire {
  const embeddings = vectors.map((values) => ({ values }));
  const usageMetadata = { promptTokenCount: tokens };
  return batch
    ? { embeddings, usageMetadata }
    : { embedding: embeddings[0] ?? { values: [] }, usageMetadata };
}
