import type { ChannelSlot } from "#domain/channels/health/health.ts";
import { GatewayError } from "#errors.ts";
import { type CancelSignal, createCancellation } from "#platform/http/cancellation.ts";
import type { RequestProgress, UpstreamResponse } from "#platform/http/exchange.ts";
import type { Reach, ReceivedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { Drain, DrainExtent } from "./drains.ts";

/** Tells how much of a call's response must be read to learn what it costs. */
export interface CallCosts {
  drainExtent(): DrainExtent;
}

type Services = Pick<RelayServices, "drains" | "revocations">;
type ConnectedCall = Pick<ReceivedCall, "caller" | "signal" | "books">;

/**
 * Connects a call's requests to its client, and has its slot at a channel. While the client is connected, nothing
 * happens. When it leaves, the request is cancelled unless reading on may yield the usage. Tracks how far the
 * current attempt got. A call that never sends a request counts as answered.
 */
export class CallConnection implements RequestProgress {
  readonly #cancellation = createCancellation();
  /** Signal for every request to the provider. Aborts when the response is no longer wanted. */
  readonly signal: CancelSignal = this.#cancellation;
  readonly #services: Services;
  readonly #call: ConnectedCall;
  readonly #costs: CallCosts;
  readonly #onLeave = () => this.leave();
  #reach: Reach = "answering";
  #requestId: string | undefined = undefined;
  #transport: "websocket" | undefined = undefined;
  #left = false;
  #revoked: GatewayError | undefined = undefined;
  #isInterrupted = false;
  #isCancelled = false;
  #isCut = false;
  #unwatch: (() => void) | undefined = undefined;
  #isClosed = false;
  #drain: Drain | undefined = undefined;
  #slot: ChannelSlot | undefined = undefined;

  constructor(services: Services, call: ConnectedCall, costs: CallCosts) {
    this.#services = services;
    this.#call = call;
    this.#costs = costs;
  }

  get reach(): Reach {
    return this.#reach;
  }

  /** Id that the provider gave the current attempt; undefined without one. */
  get requestId(): string | undefined {
    return this.#requestId;
  }

  /** How the current attempt reached the provider; undefined over HTTP. */
  get transport(): "websocket" | undefined {
    return this.#transport;
  }

  /** The client disconnected. */
  get left(): boolean {
    return this.#left;
  }

  /** The account or key may no longer be used. */
  get revoked(): GatewayError | undefined {
    return this.#revoked;
  }

  /** This node stops and does not wait for the call any longer. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** We cancelled the request before the response was complete. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** The rest of the response was not read after the client left, or not to its end. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Watches client and account until the call is closed. Nothing was sent yet. */
  open(): void {
    this.#reach = "not sent";
    if (this.#unwatch !== undefined) return;
    const { caller, signal } = this.#call;
    this.#unwatch = this.#services.revocations.watch(caller, (error) => {
      this.#revoked ??= error;
      const isStopping = error.code === "shutting_down";
      this.#isInterrupted = !this.#left && isStopping;
      // What its provider continues anyway is read on, also for a client that may not read it.
      const goesOn = this.#reach !== "not sent" && this.#costs.drainExtent() === "always";
      if (isStopping || !goesOn) this.#cancel();
    });
    if (signal.aborted) this.leave();
    else signal.addEventListener("abort", this.#onLeave, { once: true });
  }

  /** Begins a new attempt. @param slot at its channel, until the attempt fails or the call is closed */
  begin(slot: ChannelSlot | undefined): void {
    this.#reach = "not sent";
    this.#requestId = undefined;
    this.#transport = undefined;
    this.#slot = slot;
  }

  leaveSlot(): void {
    this.#slot?.leave();
  }

  sent(): void {
    if (this.#reach === "not sent") this.#reach = "sent";
  }

  answered(status: number, headers: UpstreamResponse["headers"], transport?: "websocket"): void {
    this.#transport = transport;
    this.#reach = status >= 200 && status < 300 ? "answering" : "refused";
    this.#requestId = requestIdIn(headers);
  }

  received(bytes: number): void {
    this.#drain?.received(bytes);
  }

  /** Returns the reason to stop: the account may no longer call, or the client disconnected. */
  gone(): GatewayError | undefined {
    if (this.#revoked !== undefined || !this.#left) return this.#revoked;
    return new GatewayError("client_disconnected", { reason: "client_left_call" });
  }

  /**
   * Called when the client stops reading: drains the response for its usage, within limits, or cancels it.
   */
  leave(): void {
    if (this.#left || this.#isClosed) return;
    this.#left = true;
    const { caller, books } = this.#call;
    // An unsent request costs nothing, and a rejected one has no usage.
    if (this.#reach === "not sent" || books === "none") return this.#cancel();
    const cancelDrain = () => {
      this.#isCut = true;
      this.#cancel();
    };
    this.#drain = this.#services.drains.begin(caller.userId, cancelDrain, this.#costs.drainExtent());
    if (this.#drain === undefined) cancelDrain();
  }

  #cancel(): void {
    if (this.#isClosed || this.#isCancelled) return;
    this.#isCancelled = true;
    this.#cancellation.cancel();
  }

  /** Returns the slot at the channel, which the session that this call opens leaves at its end. */
  takeSlot(): ChannelSlot | undefined {
    const slot = this.#slot;
    this.#slot = undefined;
    return slot;
  }

  /** Stops watching client and account: the session that this call opened does it from now on. */
  handOver(): void {
    this.close();
    this.#reach = "answering";
    this.#left = false;
    this.#revoked = undefined;
    this.#isInterrupted = false;
    this.#isCut = false;
  }

  /** Ends the call. Cancels requests that are still running. */
  close(): void {
    this.#slot?.leave();
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#unwatch === undefined) return;
    this.#unwatch();
    this.#call.signal.removeEventListener("abort", this.#onLeave);
    this.#drain?.end();
    this.#cancellation.cancel();
  }
}

/** A request id is short. Anything longer is not one, and must not fill the log. */
const MAX_REQUEST_ID = 200;

/**
 * Returns the id that a provider gave a request, for its support desk and for a comparison with its log;
 * undefined without one. Gateways forward the headers of the provider behind them, so their own id comes
 * first: One API, New API and One Hub, then LiteLLM, then OpenAI and Anthropic.
 */
export function requestIdIn(headers: UpstreamResponse["headers"]): string | undefined {
  const id =
    headers["x-oneapi-request-id"] ??
    headers["x-litellm-call-id"] ??
    headers["x-request-id"] ??
    headers["request-id"];
  const first = typeof id === "string" ? id : id?.[0];
  return first === undefined || first === "" || first.length > MAX_REQUEST_ID ? undefined : first;
}
