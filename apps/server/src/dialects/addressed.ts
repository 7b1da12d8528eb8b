import type { MediaPart } from "./dialect.ts";
import type { ChatRequest, Message, Part } from "./ir.ts";

/** Pictures, sounds and files that stand elsewhere: found in a request, and put into it once their bytes are there. */

export type AddressedPart = MediaPart & { source: { type: "url" } };

export interface Bytes {
  mediaType: string;
  /** base64 */
  data: string;
}

/** The parts with an address that the test is true for, those in results of tools included. */
export function addressedParts(
  request: ChatRequest,
  wanted: (part: AddressedPart) => boolean,
): AddressedPart[] {
  const found: AddressedPart[] = [];
  const visit = (part: Part) => {
    if (part.type === "tool-result") part.parts.forEach(visit);
    else if (isAddressed(part) && wanted(part)) found.push(part);
  };
  for (const message of request.messages) message.parts.forEach(visit);
  return found;
}

function isAddressed(part: Part): part is AddressedPart {
  return "source" in part && part.source.type === "url";
}

/** The request with bytes in place of those addresses that the test is true for and that are known. */
export function withBytes(
  request: ChatRequest,
  known: ReadonlyMap<string, Bytes>,
  wanted: (part: AddressedPart) => boolean,
): ChatRequest {
  const fill = (part: Part): Part => {
    if (part.type === "tool-result") return { ...part, parts: part.parts.map(fill) };
    if (!isAddressed(part) || !wanted(part)) return part;
    const bytes = known.get(part.source.url);
    return bytes === undefined ? part : filled(part, bytes);
  };
  const messages = request.messages.map<Message>((message) => ({
    ...message,
    parts: message.parts.map(fill),
  }));
  return { ...request, messages };
}

/** What was called a file may turn out to be a picture or a sound, which every wire has better words for. */
function filled(part: AddressedPart, { mediaType, data }: Bytes): Part {
  const source = { type: "data" as const, mediaType, data };
  if (part.type !== "file") return { ...part, source };
  if (mediaType.startsWith("image/"))
    return { type: "image", source, ...(part.cache && { cache: part.cache }) };
  if (mediaType.startsWith("audio/")) return { type: "audio", source };
  return { ...part, source, ...(part.filename === undefined && nameOf(part.source.url)) };
}

/** The last piece of the address, where it looks like a file's name. */
function nameOf(url: string): { filename?: string } {
  const name = /\/(?<name>[\w.-]+\.\w{1,5})(?:[?#]|$)/.exec(url)?.groups?.["name"];
  return name === undefined ? {} : { filename: name };
}
