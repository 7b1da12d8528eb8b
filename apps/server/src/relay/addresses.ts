import { addressedParts, type AddressedPart, withBytes } from "#dialects/addressed.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, DialectId } from "#dialects/ir.ts";
import type { Provider } from "#providers/provider.ts";
import type { ChatCall } from "./call.ts";

/** Which of a caller's addresses an upstream can be told, and the request with bytes for the others. Pure. */

/** Whether this upstream wants the bytes of a part that the caller gave as an address. */
export function wantsBytes(
  provider: Pick<Provider, "bytesOnly">,
  upstream: DialectId,
  client: DialectId,
): (part: AddressedPart) => boolean {
  if (provider.bytesOnly?.includes(upstream) === true) return () => true;
  // Whoever speaks the vendor's own wire knows what it takes.
  if (upstream === client) return () => false;
  const { takesAddress } = dialects[upstream];
  return (part) => !takesAddress(part, part.source.url);
}

/** The request as this upstream can be told it. Answers the same object when all of it can go as it is. */
export function asWanted(
  call: Pick<ChatCall, "request" | "fetched">,
  wanted: (part: AddressedPart) => boolean,
): ChatRequest {
  if (call.fetched === undefined || addressedParts(call.request, wanted).length === 0) return call.request;
  return withBytes(call.request, call.fetched, wanted);
}
