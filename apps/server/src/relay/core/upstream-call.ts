import type { GatewayError } from "#errors.ts";
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
  readonly signal: AbortSignal;
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
  const controller = new AbortController();
  let reach: Reach = "not sent";
  let left = false;
  let closed = false;
  let isCancelled = false;
  let revoked: GatewayError | undefined;
  let drain: Drain | undefined;

  function cancel(): void {
    if (closed || isCancelled) return;
    isCancelled = true;
    controller.abort(NOT_WANTED);
  }

  function leave(): void {
    if (left || closed) return;
    left = true;
    // What was not sent costs nothing yet; what was refused has no usage.
    drain = reach === "not sent" || books === "none" ? undefined : drains.begin(caller.userId, cancel);
    if (drain === undefined) cancel();
  }

  const unwatch = revocations.watch(caller, (error) => {
    revoked ??= error;
    cancel();
  });
  if (client.aborted) leave();
  else client.addEventListener("abort", leave, { once: true });

  return {
    signal: controller.signal,
    get reach() {
      return reach;
    },
    get left() {
      return left;
    },
    get revoked() {
      return revoked;
    },
    get isCancelled() {
      return isCancelled;
    },
    begin() {
      reach = "not sent";
    },
    sent() {
      if (reach === "not sent") reach = "sent";
    },
    answered(status) {
      reach = status >= 200 && status < 300 ? "answering" : "refused";
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
      controller.abort(NOT_WANTED);
    },
  };
}

/** Made once: an error of its own for every call would cost a stack trace each. */
const NOT_WANTED = new Error("The answer is not wanted any more.");
