/**
 * Images, sounds and files with the type of their bytes. Clients declare types that do not fit, and strict
 * providers reject the whole request for one of them. Pure.
 */
import type { ChatRequest, Message, Part } from "#dialects/ir.ts";
import { typeOfData } from "./media-type.ts";

function typed(part: Part): Part {
  if (part.type === "tool-result") {
    const parts = part.parts.map(typed);
    return parts.some((each, at) => each !== part.parts[at]) ? { ...part, parts } : part;
  }
  if (part.type !== "image" && part.type !== "file") return part;
  const { source } = part;
  if (source.type !== "data") return part;
  const filename = part.type === "file" ? part.filename : undefined;
  const mediaType = typeOfData(source.data, source.mediaType, filename);
  if (mediaType === source.mediaType) return part;
  const next = { ...source, mediaType };
  if (!mediaType.startsWith("image/")) return { ...part, source: next };
  return { type: "image", source: next, ...(part.cache && { cache: part.cache }) };
}

const isTyped = ({ parts }: Message) => parts.every((part) => typed(part) === part);

/** Returns the same object when all types fit. */
export function withMediaTypes(request: ChatRequest): ChatRequest {
  if (request.messages.every(isTyped)) return request;
  const messages = request.messages.map<Message>((message) =>
    isTyped(message) ? message : { ...message, parts: message.parts.map(typed) },
  );
  return { ...request, messages };
}
