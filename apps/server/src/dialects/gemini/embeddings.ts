import type { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { Part } from "#dialects/ir.ts";
import { asRecord, parseAt } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { embedBatch, embedOne } from "./schema.ts";

/** Gemini's embeddings: one text or a batch, in its own format or translated to OpenAI's. Pure. */
export interface EmbedRequest {
  batch: boolean;
  texts: string[];
  /** Names of fields that only this format supports: images, and the purpose of the vectors. */
  own: string[];
  /** Reason why the request cannot be translated to OpenAI's format, if there is one. */
  untold: { reason: "embed_sizes_differ" | "embed_text_only"; path: string } | undefined;
  dimensions: number | undefined;
  /** Everything to embed, as parts whose tokens can be counted. */
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

/** Returns a part for estimating its tokens; images, sound and files count too. */
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

/** Returns a setting. It is beside the content or, in newer clients, in a separate object. */
function settingOf(request: One, field: "taskType" | "title" | "autoTruncate"): unknown {
  return request[field] ?? request.embedContentConfig?.[field] ?? undefined;
}

function dimensionsOf(request: One | undefined): number | undefined {
  return request?.outputDimensionality ?? request?.embedContentConfig?.outputDimensionality ?? undefined;
}

/**
 * Returns the body for a provider of the same dialect that uses this model name.
 * Returns the same object when nothing changes.
 */
export function adjustEmbedRequest(body: Wire, model: string): Wire {
  const name = `models/${model}`;
  const withModel = (each: Wire) =>
    each["model"] === undefined || each["model"] === name ? each : { ...each, model: name };
  const whole = withModel(body);
  const requests = body["requests"];
  if (!Array.isArray(requests)) return whole;
  // Each element of a batch repeats the model.
  const adjusted = requests.map((each) => withModel(asRecord(each) ?? {}));
  return adjusted.every((each, index) => each === requests[index]) ? whole : { ...whole, requests: adjusted };
}

/**
 * Translates the request to OpenAI's format.
 * Throws `invalid_request` for a request that this format cannot express.
 */
export function toOpenaiEmbedRequest(request: EmbedRequest, model: string): Wire {
  const { untold, texts, dimensions } = request;
  if (untold !== undefined) throw invalidRequest({ reason: untold.reason }, { param: untold.path });
  return {
    model,
    input: texts,
    encoding_format: "float",
    ...(dimensions === undefined ? {} : { dimensions }),
  };
}

/** Returns the JSON of a response. @param vectors the JSON list of each vector */
export function encodeVectors(vectors: readonly string[], { batch }: EmbedRequest, tokens: number): string {
  const embeddings = vectors.map((values) => `{"values":${values}}`);
  const usage = `"usageMetadata":{"promptTokenCount":${tokens}}`;
  return batch
    ? `{"embeddings":[${embeddings.join(",")}],${usage}}`
    : `{"embedding":${embeddings[0] ?? '{"values":[]}'},${usage}}`;
}
