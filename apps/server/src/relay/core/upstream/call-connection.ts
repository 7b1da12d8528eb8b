import type { GatewayError } from "#errors.ts";
import { type CancelSignal, createCancellation } from "#platform/http/cancellation.ts";
import type { RequestProgress, UpstreamResponse } from "#platform/http/http.ts";
import type { ReceivedCall, Reach } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { Drain } from "./drains.ts";
import { requestIdIn } from "./request-id.ts";

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
  /** How the current attempt reached the provider; undefined over HTTP. */
  readonly transport: "websocket" | undefined;
  /** The client disconnected. */
  readonly left: boolean;
  /** The account or key may no longer be used. */
  readonly revoked: GatewayError | undefined;
  /** This node stops and does not wait for the call any longer. */
  readonly isInterrupted: boolean;
  /** We cancelled the request before the response was complete. */
  readonly isCancelled: boolean;
  /** The rest of the response was not read after the client left, or not to its end. */
  readonly isCut: boolean;
  /** Begins a new attempt, of which nothing was sent yet. */
  begin(): void;
  /**
   * Called when the client stops reading: drains the response for its usage, within limits, or cancels it.
   */
  leave(): void;
  /** Ends the call. Cancels requests that are still running. */
  close(): void;
}

/** @param isHidden returns whether the text of the response does not show what the call costs */
export function openUpstreamCall(
  services: Pick<RelayServices, "drains" | "revocations">,
  call: Pick<ReceivedCall, "caller" | "signal" | "books">,
  isHidden: () => boolean,
): UpstreamCall {
  return new TimedCall(services, call, isHidden);
}

type Services = Pick<RelayServices, "drains" | "revocations">;
type Watches = Pick<ReceivedCall, "caller" | "signal" | "books">;

// A class: an object of closures takes several times as long to create, and every call creates one.
class TimedCall implements UpstreamCall {
  readonly #cancellation = createCancellation();
  readonly signal: CancelSignal = this.#cancellation;
  reach: Reach = "not sent";
  requestId: string | undefined = undefined;
  transport: "websocket" | undefined = undefined;
  left = false;
  revoked: GatewayError | undefined = undefined;
  isInterrupted = false;
  isCancelled = false;
  isCut = false;
  readonly #isHidden: () => boolean;
  readonly #services: Services;
  readonly #call: Watches;
  readonly #unwatch: () => void;
  readonly #onLeave = () => this.leave();
  #closed = false;
  #drain: Drain | undefined;

  constructor(services: Services, call: Watches, isHidden: () => boolean) {
    this.#services = services;
    this.#isHidden = isHidden;
    this.#call = call;
    this.#unwatch = services.revocations.watch(call.caller, (error) => {
      this.revoked ??= error;
      this.isInterrupted = !this.left && error.code === "shutting_down";
      this.#cancel();
    });
    if (call.signal.aborted) this.leave();
    else call.signal.addEventListener("abort", this.#onLeave, { once: true });
  }

  #cancel(): void {
    if (this.#closed || this.isCancelled) return;
    this.isCancelled = true;
    this.#cancellation.cancel();
  }

  begin(): void {
    this.reach = "not sent";
    this.requestId = undefined;
    this.transport = undefined;
  }

  sent(): void {
    if (this.reach === "not sent") this.reach = "sent";
  }

  answered(status: number, headers: UpstreamResponse["headers"], transport?: "websocket"): void {
    this.transport = transport;
    this.reach = status >= 200 && status < 300 ? "answering" : "refused";
    this.requestId = requestIdIn(headers);
  }

  received(bytes: number): void {
    this.#drain?.received(bytes);
  }

  leave(): void {
    if (this.left || this.#closed) return;
    this.left = true;
    const { caller, books } = this.#call;
    // An unsent request costs nothing, and a rejected one has no usage.
    const cut = () => {
      this.isCut = true;
      this.#cancel();
    };
    if (this.reach === "not sent" || books === "none") return this.#cancel();
    this.#drain = this.#services.drains.begin(caller.userId, cut, this.#isHidden());
    if (this.#drain === undefined) cut();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch();
    this.#call.signal.removeEventListener("abort", this.#onLeave);
    this.#drain?.end();
    this.#cancellation.cancel();
  }
}
