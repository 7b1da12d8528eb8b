import type { Upstream } from "#dialects/dialect.ts";
import type { ChatRequest, ClientDialectId } from "#dialects/ir.ts";
import { addressedParts, type AddressedPart, withBytes } from "#dialects/media/addressed.ts";
import type { Provider } from "#providers/provider.ts";
import type { ChatCall } from "./chat-call.ts";

/** Returns a check whether this upstream needs the bytes of a part that the caller gave as a URL. Pure. */
export function wantsBytes(
  provider: Pick<Provider, "bytesOnly">,
  upstream: Pick<Upstream, "id" | "takesAddress">,
  client: ClientDialectId,
): (part: AddressedPart) => boolean {
  if (upstream.id !== "own" && provider.bytesOnly?.includes(upstream.id) === true) return () => true;
  // A client that speaks the provider's own wire knows what the provider accepts.
  if (upstream.id === client) return () => false;
  return (part) => !upstream.takesAddress(part, part.source.url);
}

/**
 * Returns the request for this upstream, with URLs replaced by bytes where needed; the same object when
 * unchanged.
 */
export function withInlineMedia(
  call: Pick<ChatCall, "request" | "fetched">,
  wanted: (part: AddressedPart) => boolean,
): ChatRequest {
  if (call.fetched === undefined || addressedParts(call.request, wanted).length === 0) return call.request;
  return withBytes(call.request, call.fetched, wanted);
}
