import { lookupTable } from "@gateway/shared/lookup-table";
import type { Wire } from "#dialects/dialect.ts";
import type { Citation, MediaSource, Part } from "#dialects/ir.ts";
import { audioFormat, sourceOfUrl } from "#dialects/media/media.ts";
import { isGoogleFile } from "#dialects/media/uploaded-file.ts";
import { asRecord, compact, parseAt } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { contents, contentType, type MediaType } from "./schema.ts";

/** Types of media that are sent without one. Providers receive the type of the first bytes. */
const usualTypes = {
  image: "image/png",
  audio: "audio/wav",
  document: "application/pdf",
  video: "video/mp4",
} as const;

/** Level of detail by resolution; the others have no equivalent. */
const details = lookupTable<string>({ low: "low", high: "high", ultra_high: "high" });

function sourceOf(type: MediaType, wire: Wire, at: string): MediaSource {
  const { data, uri, mime_type: mime } = parseAt(contents[type], wire, at);
  if (data) return { type: "data", mediaType: mime ?? usualTypes[type], data };
  if (!uri) throw invalidRequest({ reason: "field_required", field: `${at}.data` });
  const mediaType = mime ?? undefined;
  if (isGoogleFile(uri)) return compact<MediaSource>({ type: "file", id: uri, mediaType });
  return sourceOfUrl(uri, mediaType);
}

function decodeAnnotation(value: unknown): Citation[] {
  const wire = asRecord(value);
  if (wire?.["type"] !== "url_citation") return [];
  const text = (key: string) => (typeof wire[key] === "string" ? wire[key] : undefined);
  const place = (key: string) => (typeof wire[key] === "number" ? wire[key] : undefined);
  return [
    compact<Citation>({
      url: text("url"),
      title: text("title"),
      start: place("start_index"),
      end: place("end_index"),
    }),
  ];
}

/** Decodes one content. Throws `invalid_request` for an unknown type. */
export function decodeContent(wire: Wire, at: string): Part {
  const { type } = parseAt(contentType, wire, at);
  switch (type) {
    case "text": {
      const { text, annotations } = parseAt(contents.text, wire, at);
      const citations = (annotations ?? []).flatMap(decodeAnnotation);
      return { type: "text", text, ...(citations.length > 0 && { citations }) };
    }
    case "image": {
      const { resolution } = parseAt(contents.image, wire, at);
      const detail = details[resolution ?? ""];
      return { type: "image", source: sourceOf(type, wire, at), ...(detail !== undefined && { detail }) };
    }
    case "audio": {
      const source = sourceOf(type, wire, at);
      const format = source.mediaType === undefined ? undefined : audioFormat(source.mediaType);
      return { type: "audio", source, ...(format !== undefined && { format }) };
    }
    default:
      return { type: "file", source: sourceOf(type, wire, at) };
  }
}
