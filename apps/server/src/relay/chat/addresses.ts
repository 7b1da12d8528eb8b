import { addressedParts, type AddressedPart, withBytes } from "#dialects/addressed.ts";
import type { Upstream } from "#dialects/dialect.ts";
import type { ChatRequest, DialectId } from "#dialects/ir.ts";
import type { Provider } from "#providers/provider.ts";
import type { ChatCall } from "./chat-call.ts";

/** Which of a caller's addresses an upstream can be told, and the request with bytes for the others. Pure. */

/** Whether this upstream wants the bytes of a part that the caller gave as an address. */
export function wantsBytes(
  provider: Pick<Provider, "bytesOnly">,
  upstream: Pick<Upstream, "id" | "takesAddress">,
  client: DialectId,
): (part: AddressedPart) => boolean {
  if (upstream.id !== "own" && provider.bytesOnly?.includes(upstream.id) === true) return () => true;
  // Whoever speaks the provider's own wire knows what it takes.
  if (upstream.id === client) return () => false;
  return (part) => !upstream.takesAddress(part, part.source.url);
}

/** The request as this upstream can be told it. Answers the same object when all of it can go as it is. */
export function asWanted(
  call: Pick<ChatCall, "request" | "fetched">,
  wanted: (part: AddressedPart) => boolean,
): ChatRequest {
  if (call.fetched === undefined || addressedParts(call.request, wanted).length === 0) return call.request;
  return withBytes(call.request, call.fetched, wanted);
}
