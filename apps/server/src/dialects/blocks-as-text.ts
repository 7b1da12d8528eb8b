/** Converts parts of another dialect that have a text fallback to that text. Pure. */
import type { ChatRequest, DialectId, Message, Part } from "./ir.ts";

function isForeign(part: Part, own: DialectId | "own"): boolean {
  if (part.type === "tool-result") return part.parts.some((each) => isForeign(each, own));
  return part.type === "foreign" && part.text !== undefined && part.extra.dialect !== own;
}

function spoken(part: Part, own: DialectId | "own"): Part {
  if (!isForeign(part, own)) return part;
  if (part.type === "tool-result") return { ...part, parts: part.parts.map((each) => spoken(each, own)) };
  return part.type === "foreign" ? { type: "text", text: part.text ?? "" } : part;
}

/** Returns the same object when there is nothing to convert. */
export function withBlocksAsText(request: ChatRequest, upstream: DialectId | "own"): ChatRequest {
  const has = (message: Message) => message.parts.some((part) => isForeign(part, upstream));
  if (!request.messages.some(has)) return request;
  const messages = request.messages.map<Message>((message) =>
    has(message) ? { ...message, parts: message.parts.map((part) => spoken(part, upstream)) } : message,
  );
  return { ...request, messages };
}
