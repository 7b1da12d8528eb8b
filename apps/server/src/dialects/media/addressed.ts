/** Images, sounds and files referenced by URL: finds them in a request, and replaces them by their bytes. */
import type { MediaPart } from "#dialects/dialect.ts";
import type { ChatRequest, Message, Part } from "#dialects/ir.ts";

export type AddressedPart = MediaPart & { source: { type: "url" } };

export interface InlineMedia {
  mediaType: string;
  /** Base64. */
  data: string;
}

/** Returns the parts with a URL that match the test, including those in tool results and fallbacks. */
export function addressedParts(
  request: ChatRequest,
  wanted: (part: AddressedPart) => boolean,
): AddressedPart[] {
  const found: AddressedPart[] = [];
  const visit = (part: Part) => {
    if (part.type === "tool-result") part.parts.forEach(visit);
    else if (part.type === "foreign") part.fallback?.forEach(visit);
    else if (isAddressed(part) && wanted(part)) found.push(part);
  };
  for (const message of request.messages) message.parts.forEach(visit);
  return found;
}

function isAddressed(part: Part): part is AddressedPart {
  return "source" in part && part.source.type === "url";
}

/** Replaces the URLs that match the test and whose bytes are known. */
export function withBytes(
  request: ChatRequest,
  known: ReadonlyMap<string, InlineMedia>,
  wanted: (part: AddressedPart) => boolean,
): ChatRequest {
  const fill = (part: Part): Part => {
    if (part.type === "tool-result") return { ...part, parts: part.parts.map(fill) };
    if (!isAddressed(part) || !wanted(part)) return part;
    const bytes = known.get(part.source.url);
    return bytes === undefined ? part : fillPart(part, bytes);
  };
  const messages = request.messages.map<Message>((message) => ({
    ...message,
    parts: message.parts.map(fill),
  }));
  return { ...request, messages };
}

/** Converts a file that turns out to be an image or a sound, which all formats support better. */
function fillPart(part: AddressedPart, { mediaType, data }: InlineMedia): Part {
  const source = { type: "data" as const, mediaType, data };
  if (part.type !== "file") return { ...part, source };
  if (mediaType.startsWith("image/"))
    return { type: "image", source, ...(part.cache && { cache: part.cache }) };
  if (mediaType.startsWith("audio/")) return { type: "audio", source };
  return { ...part, source, ...(part.filename === undefined && nameOf(part.source.url)) };
}

/** Returns the last segment of the URL, if it looks like a file name. */
function nameOf(url: string): { filename?: string } {
  const name = /\/(?<name>[\w.-]+\.\w{1,5})(?:[?#]|$)/.exec(url)?.groups?.["name"];
  return name === undefined ? {} : { filename: name };
}
