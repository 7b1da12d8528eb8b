/** Images, sounds and files in wire formats: data URLs and media types. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { MediaSource, Part } from "#dialects/ir.ts";
import { usualType } from "./media-type.ts";

export function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === "data:";
}

/** Converts a data URL to data; any other URL stays a URL. Data that is not base64 is encoded as base64. */
export function sourceOfUrl(url: string, mediaType?: string): MediaSource {
  if (!isDataUrl(url))
    return mediaType === undefined ? { type: "url", url } : { type: "url", url, mediaType };
  const comma = url.indexOf(",");
  const head = comma === -1 ? "" : url.slice(5, comma);
  const data = url.slice(comma + 1);
  const type = head.split(";")[0] || (mediaType ?? "application/octet-stream");
  if (/;\s*base64$/i.test(head)) return { type: "data", mediaType: type, data };
  return {
    type: "data",
    mediaType: type,
    data: Buffer.from(percentDecoded(data), "utf8").toString("base64"),
  };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function dataUrl(source: { mediaType: string; data: string }): string {
  return `data:${source.mediaType};base64,${source.data}`;
}

/** Returns the address of media: its URL, or a URL that contains its bytes. */
export function addressOf(source: Exclude<MediaSource, { type: "file" }>): string {
  return source.type === "url" ? source.url : dataUrl(source);
}

const audioTypes = lookupTable<string>({
  wav: "audio/wav",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  opus: "audio/opus",
  aac: "audio/aac",
  ogg: "audio/ogg",
  m4a: "audio/mp4",
  webm: "audio/webm",
  pcm16: "audio/pcm",
});

export function audioMediaType(format: string): string {
  return audioTypes[format] ?? `audio/${format}`;
}

/** Returns the short name of an audio type; the subtype itself where there is none. */
export function audioFormat(mediaType: string): string {
  const usual = usualType(mediaType);
  const known = Object.entries(audioTypes).find(([, type]) => type === usual);
  return known?.[0] ?? usual.split("/")[1] ?? "wav";
}

export function textOfBase64(data: string): string {
  return Buffer.from(data, "base64").toString("utf8");
}

export function base64OfText(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/**
 * Returns a sound as text, for formats without sound: its transcript, else a link that contains the sound. A
 * sound with an id has a transcript; in a stream it arrives separately.
 */
export function soundText(part: Extract<Part, { type: "audio" }>): string {
  const { source } = part;
  if (part.transcript || part.id !== undefined) return part.transcript ?? "";
  if (source.type === "file" || (source.type === "data" && source.data === "")) return "";
  return `[audio](${addressOf(source)})`;
}
