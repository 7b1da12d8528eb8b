import type { Upstream } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { withMediaTypes } from "#dialects/media/typed-media.ts";
import { withProofsFor } from "#dialects/reasoning/proof.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { proofOrigin } from "#providers/provider.ts";
import { withInlineMedia, wantsBytes } from "./addresses.ts";
import type { ChatCall } from "./chat-call.ts";
import { withContextEdits } from "./context-edits.ts";

type FittableChat = Pick<ChatCall, "client" | "request" | "fetched">;

/**
 * Returns the conversation as its receiver accepts it: bytes in place of URLs, context edits applied, without
 * proofs of thinking that it would reject. The same object when nothing changes; a body of the receiver's own
 * dialect then passes unchanged. Pure.
 */
export function fitRequest(
  call: FittableChat,
  { provider }: Pick<ActiveChannel, "provider">,
  upstream: Upstream,
  model: string,
): ChatRequest {
  const client = call.client.id;
  const wanted = withInlineMedia(call, wantsBytes(provider, upstream, client));
  // Within the two dialects of OpenAI the hosts do not look at the type.
  const isStrict = upstream.id !== client || client === "anthropic" || client === "gemini";
  const typed = isStrict ? withMediaTypes(wanted) : wanted;
  const isManaged =
    upstream.id === client && (provider.managesContext === true || provider.proofs === "unknown");
  const edited = isManaged ? typed : withContextEdits(typed);
  return withProofsFor(edited, { client, upstream: upstream.id, origin: proofOrigin(provider, model) });
}
