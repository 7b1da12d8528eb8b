import type { Upstream } from "#dialects/dialect.ts";
import { withFallbackParts } from "#dialects/fallback-parts.ts";
import type { ChatRequest, ClientDialectId } from "#dialects/ir.ts";
import { type AddressedPart, addressedParts, withBytes } from "#dialects/media/addressed.ts";
import { withMediaTypes } from "#dialects/media/media-type.ts";
import { withProofsFor } from "#dialects/reasoning/proof.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { type Provider, proofOrigin } from "#providers/provider.ts";
import type { ChatCall } from "./chat-call.ts";
import { withContextEdits } from "./context-edits.ts";

type FittableChat = Pick<ChatCall, "client" | "request" | "fetched">;

/**
 * Returns the conversation as its receiver accepts it: bytes in place of URLs, context edits applied, without
 * parts that only another dialect has, and without proofs of thinking that it would reject. The same object when nothing changes; a body of the receiver's own
 * dialect then passes unchanged. Pure.
 */
export function fitRequest(
  call: FittableChat,
  { provider }: Pick<ActiveChannel, "provider">,
  upstream: Upstream,
  model: string,
): ChatRequest {
  const client = call.client.id;
  const request = withFallbackParts(call.request, upstream.id);
  const wanted = withInlineMedia({ ...call, request }, wantsBytes(provider, upstream, client));
  // Within the two dialects of OpenAI the hosts do not look at the type.
  const isStrict = upstream.id !== client || client === "anthropic" || client === "gemini";
  const typed = isStrict ? withMediaTypes(wanted) : wanted;
  const isManaged =
    upstream.id === client && (provider.managesContext === true || provider.proofs === "unknown");
  const edited = isManaged ? typed : withContextEdits(typed);
  return withProofsFor(edited, { client, upstream: upstream.id, origin: proofOrigin(provider, model) });
}

/** Whether the request names files by their address, which some channels need as bytes. */
export function hasFileAddresses(request: ChatRequest): boolean {
  return addressedParts(request, () => true).length > 0;
}

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
