import type { GatewayError } from "#errors.ts";
import { type CancelSignal, createCancellation } from "#platform/cancellation.ts";
import type { RequestProgress } from "#platform/http.ts";
import type { Call, Reach } from "./call.ts";
import type { Drain } from "./drains.ts";
import { requestIdIn } from "./request-id.ts";
import type { RelayServices } from "./services.ts";

/**
 * Connects a call's requests to its client. While the client is connected, nothing happens. When it leaves,
 * the request is cancelled unless reading on may yield the usage. Tracks how far the current attempt got.
 */
export interface UpstreamCall extends RequestProgress {
  /** Signal for every request to the provider. Aborts when the response is no longer wanted. */
  readonly signal: CancelSignal;
  readonly reach: Reach;
  /** Id that the provider gave the current attempt; undefined without one. */
  readonly requestId: string | undefined;
  /** The client disconnected. */
  readonly left: boolean;
  /** The account or key may no longer be used. */
  readonly revoked: GatewayError | undefined;
  /** We cancelled the request before the response was complete. */
  readonly isCancelled: boolean;
  /** Begins a new attempt, of which nothing was sent yet. */
  begin(): void;
  /**
   * Called when the client stops reading: drains the response for its usage, within limits, or cancels it.
   */
  leave(): void;
  /** Ends the call. Cancels requests that are still running. */
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
    // An unsent request costs nothing, and a rejected one has no usage.
    drain = call.reach === "not sent" || books === "none" ? undefined : drains.begin(caller.userId, cancel);
    if (drain === undefined) cancel();
  }

  // Plain fields: creating an object with accessors takes longer than the rest of this function.
  const call: { -readonly [Key in keyof UpstreamCall]: UpstreamCall[Key] } = {
    signal: cancellation,
    reach: "not sent",
    requestId: undefined,
    left: false,
    revoked: undefined,
    isCancelled: false,
    begin() {
      call.reach = "not sent";
      call.requestId = undefined;
    },
    sent() {
      if (call.reach === "not sent") call.reach = "sent";
    },
    answered(status, headers) {
      call.reach = status >= 200 && status < 300 ? "answering" : "refused";
      call.requestId = requestIdIn(headers);
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
