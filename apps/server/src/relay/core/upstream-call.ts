import type { GatewayError } from "#errors.ts";
import { type CancelSignal, createCancellation } from "#platform/cancellation.ts";
import type { RequestProgress } from "#platform/http.ts";
import type { Call, Reach } from "./call.ts";
import type { Drain } from "./drains.ts";
import type { RelayServices } from "./services.ts";

/**
 * What a call's provider is told of its client: nothing while the client is there, a cancellation when it is not and
 * reading on would not help. Knows how far the present attempt got.
 */
export interface UpstreamCall extends RequestProgress {
  /** For every request to the provider. Aborts when the answer is not wanted any more. */
  readonly signal: CancelSignal;
  readonly reach: Reach;
  /** The client disconnected. */
  readonly left: boolean;
  /** The account or key may not be used any more. */
  readonly revoked: GatewayError | undefined;
  /** It was cancelled here before the answer was whole. */
  readonly isCancelled: boolean;
  /** A new attempt: nothing of it was sent yet. */
  begin(): void;
  /** The client does not read on: its answer is read for the usage, within limits, or cancelled. */
  leave(): void;
  /** The call is over. Cancels what is still under way. */
  close(): void;
}

export function openUpstreamCall(
  { drains, revocations }: Pick<RelayServices, "drains" | "revocations">,
  { caller, signal: client, books }: Pick<Call, "caller" | "signal" | "books">,
): UpstreamCall {
  const cancellation = createCancellation();
  let closed = false;
  let drain: Drain | undefined;

  function cancel(): void {
    if (closed || call.isCancelled) return;
    call.isCancelled = true;
    cancellation.cancel();
  }

  function leave(): void {
    if (call.left || closed) return;
    call.left = true;
    // What was not sent costs nothing yet; what was refused has no usage.
    drain = call.reach === "not sent" || books === "none" ? undefined : drains.begin(caller.userId, cancel);
    if (drain === undefined) cancel();
  }

  // Plain fields: an object with accessors takes longer to make than everything else of a call here.
  const call: { -readonly [Key in keyof UpstreamCall]: UpstreamCall[Key] } = {
    signal: cancellation,
    reach: "not sent",
    left: false,
    revoked: undefined,
    isCancelled: false,
    begin() {
      call.reach = "not sent";
    },
    sent() {
      if (call.reach === "not sent") call.reach = "sent";
    },
    answered(status) {
      call.reach = status >= 200 && status < 300 ? "answering" : "refused";
    },
    received(bytes) {
      drain?.received(bytes);
    },
    leave,
    close() {
      if (closed) return;
      closed = true;
      unwatch();
      client.removeEventListener("abort", leave);
      drain?.end();
      cancellation.cancel();
    },
  };
  const unwatch = revocations.watch(caller, (error) => {
    call.revoked ??= error;
    cancel();
  });
  if (client.aborted) leave();
  else client.addEventListener("abort", leave, { once: true });

  return call;
}
