/** Replaces what only another dialect has by what is meant for all others. Pure. */
import { append } from "./append.ts";
import type { ChatRequest, DialectId, Extra, Message, Part } from "./ir.ts";

type Receiver = DialectId | "own";

function isForeign(part: Part, own: Receiver): boolean {
  if (part.type === "tool-result") return part.parts.some((each) => isForeign(each, own));
  return part.type === "foreign" && part.fallback !== undefined && part.extra.dialect !== own;
}

function replacePart(part: Part, own: Receiver): Part[] {
  if (!isForeign(part, own)) return [part];
  if (part.type === "tool-result")
    return [{ ...part, parts: part.parts.flatMap((each) => replacePart(each, own)) }];
  return part.type === "foreign" ? (part.fallback ?? []) : [part];
}

const isElsewhere = (extra: Extra | undefined, own: Receiver) => extra !== undefined && extra.dialect !== own;

/**
 * Returns the request for a receiver that speaks the dialect. Messages of the assistant that are separate only
 * because of their own fields become one. The same object when there is nothing to replace.
 */
export function withFallbackParts(request: ChatRequest, upstream: Receiver): ChatRequest {
  const changes = ({ parts, extra }: Message) =>
    isElsewhere(extra, upstream) || parts.some((part) => isForeign(part, upstream));
  if (!request.messages.some(changes)) return request;
  const messages: Message[] = [];
  let joins = false;
  for (const message of request.messages) {
    const { extra, ...rest } = message;
    const isSeparate = isElsewhere(extra, upstream);
    const next: Message = isSeparate ? rest : message;
    const parts = next.parts.flatMap((part) => replacePart(part, upstream));
    const last = messages.at(-1);
    const isContinued = last?.role === "assistant" && next.role === "assistant";
    if (isContinued && (joins || isSeparate)) append(last.parts, parts);
    else messages.push({ ...next, parts });
    joins = isSeparate;
  }
  return { ...request, messages };
}
