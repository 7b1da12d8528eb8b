import { setTimeout as sleep } from "node:timers/promises";
import { dialects } from "#dialects/index.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { mayUseModel } from "#domain/tokens/callers.ts";
import { GatewayError, internalError, invalidRequest, shuttingDown } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { MessageSocket, SocketMessage } from "#platform/http/web-socket.ts";
import type { EndedCall, PricedTarget, ReceivedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { forClients } from "#relay/core/upstream/scrub.ts";
import type { RealtimeBill } from "./realtime-bill.ts";
import { readClientEvent, readServerEvent } from "./realtime-events.ts";

export interface RealtimeCall extends ReceivedCall {
  /** Query parameters except the model. Passed unchanged. */
  readonly query: URLSearchParams;
  /** Client headers for the provider. */
  readonly forward?: Record<string, string> | undefined;
  /** Called before each further response. Throws when the caller is not allowed. */
  admit(call: ReceivedCall): Promise<ReceivedCall>;
  /** Parses a client event unambiguously. Throws `invalid_request`. */
  readEvent(data: Buffer): { raw: Buffer; body: Record<string, unknown> };
  /** An event that sets the session up, before those of the client. */
  readonly settings?: Buffer;
  /** Maximum bytes of one message, in either direction. */
  readonly maxMessage: number;
  /** Maximum milliseconds without a message from either side. */
  readonly idleMs: number;
}

export interface RealtimeConnection {
  services: RelayServices;
  call: RealtimeCall;
  target: PricedTarget;
  bill: RealtimeBill;
  providerSocket: MessageSocket;
  messages: AsyncGenerator<SocketMessage, void, undefined>;
  /** The first message, read to check that the provider serves the session. */
  first: SocketMessage;
  /** Releases its slot at the channel. */
  leave(): void;
}

/** Why a session ends, for both sides. */
interface Ending {
  outcome: EndedCall["outcome"];
  code: number;
  reason: string;
  /** Sent to the client before the socket closes. */
  error?: GatewayError;
}

/** Errors of one event after which the session continues. */
const survived: ReadonlySet<string> = new Set([
  "rate_limit_exceeded",
  "shutting_down",
  "invalid_request",
  "body_too_large",
  "model_not_allowed",
]);

/** Refused events in a row that are answered. The next one ends the session. */
const MAX_REFUSALS = 10;
/** Client events per second. More wait: each is parsed, and most cost nothing. Clients send about fifty. */
const EVENTS_PER_SECOND = 500;

/**
 * A realtime session with two sockets. Events pass unchanged and in order, as fast as the other side accepts
 * them. The session ends when either side ends, with its bill closed.
 */
export class RealtimeSession {
  readonly #opened: RealtimeConnection;
  readonly #services: RelayServices;
  readonly #call: RealtimeCall;
  readonly #target: PricedTarget;
  readonly #bill: RealtimeBill;
  readonly #providerSocket: MessageSocket;
  readonly #ending = Promise.withResolvers<Ending>();
  readonly #over = Promise.withResolvers<void>();
  #idle: NodeJS.Timeout | undefined;
  readonly #allPaid = Promise.withResolvers<void>();
  #finishing = false;
  #isOver = false;
  /** Refused events since the last one that was passed on. */
  #refusals = 0;
  readonly #unwatch: () => void;
  #client: MessageSocket | undefined;

  constructor(opened: RealtimeConnection) {
    this.#opened = opened;
    this.#services = opened.services;
    this.#call = opened.call;
    this.#target = opened.target;
    this.#bill = opened.bill;
    this.#providerSocket = opened.providerSocket;
    this.#unwatch = this.#services.revocations.watch(this.#call.caller, (error) => {
      const isStop = error.code === "shutting_down";
      this.#end({
        outcome: isStop ? "interrupted" : "client-left",
        code: isStop ? 1001 : 1008,
        reason: error.code,
        error,
      });
    });
  }

  /** Passes events until the session ends. Never throws. */
  async run(side: MessageSocket): Promise<void> {
    this.#client = side;
    this.#touch();
    if (this.#finishing) this.#end(stopping());
    this.#fromProvider(side).catch((error: unknown) => this.#broken(error));
    this.#fromClient(side).catch((error: unknown) => this.#broken(error));
    await this.#close(await this.#ending.promise);
  }

  /** Ends a session whose client left before the upgrade. */
  abandon(): Promise<void> {
    return this.#close({ outcome: "client-left", code: 1000, reason: "" });
  }

  /** Ends the session after the response in progress. Resolves when the session is over. */
  finish(): Promise<void> {
    this.#finishing = true;
    if (!this.#bill.busy()) this.#end(stopping());
    return this.#over.promise;
  }

  #end(as: Ending): void {
    this.#ending.resolve(as);
  }

  #touch(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(idleEnding(this.#call.idleMs)), this.#call.idleMs);
  }

  async #fromProvider(side: MessageSocket): Promise<void> {
    await this.#passToClient(side, this.#opened.first);
    for await (const message of this.#opened.messages) {
      this.#touch();
      await this.#passToClient(side, message);
    }
    const { code, reason } = await this.#providerSocket.closed;
    const clean = code === 1000 || code === 1001 || code === 1005;
    this.#end(
      clean && !this.#bill.busy()
        ? { outcome: "complete", code: 1000, reason }
        : { outcome: "upstream-died", code: 1011, reason: "upstream_failed", error: upstreamDied() },
    );
  }

  /** Closes the bill, sends the event that completes a response, then reserves the next response. */
  async #passToClient(side: MessageSocket, { data, binary }: SocketMessage): Promise<void> {
    const text = data.toString("utf8");
    const event = readServerEvent(text);
    let isSpent = event.kind === "done";
    switch (event.kind) {
      case "session":
        this.#bill.facts = {
          ...event.facts,
          transcriber: event.facts.transcriber ?? this.#bill.facts.transcriber,
        };
        break;
      case "begun":
        await this.#bill.begin(event.id);
        break;
      case "text":
        this.#bill.output(event.id, { text: event.text });
        break;
      case "sound":
        this.#bill.output(event.id, { bytes: event.bytes });
        break;
      case "done":
        await this.#bill.done(event.id, event.usage, this.#isOver ? "client-left" : "complete");
        break;
      case "recorded":
        this.#bill.transcribing(event.item, "");
        break;
      case "transcribing":
        this.#bill.transcribing(event.item, event.text);
        break;
      case "untranscribed":
        this.#bill.untranscribed(event.item);
        break;
      case "transcribed":
        isSpent = await this.#bill.transcribed(event.item, event.usage, event.text);
        break;
      case "error":
        return side.send(forClients(text, this.#target), binary);
      case "other":
        break;
    }
    const sent = event.kind === "text" || event.kind === "sound" ? text : withoutNegativeCounts(text);
    await side.send(sent === text ? data : sent, binary);
    if (this.#isOver && !this.#bill.owes()) this.#allPaid.resolve();
    if (!isSpent || this.#isOver) return;
    const isRated = event.kind === "done";
    if (isRated && this.#finishing && !this.#bill.busy()) this.#end(stopping());
    else await this.#bill.renew(isRated).catch(unlessRated);
  }

  async #fromClient(side: MessageSocket): Promise<void> {
    const { settings } = this.#call;
    const allowedSettings = settings === undefined ? undefined : await this.#allow(side, settings);
    if (allowedSettings !== undefined) await this.#providerSocket.send(allowedSettings, false);
    let events = 0;
    let second = now();
    for await (const { data, binary } of side.messages()) {
      this.#touch();
      events += 1;
      if (events % EVENTS_PER_SECOND === 0) {
        await sleep(Math.max(0, second + 1_000 - now()));
        second = now();
      }
      const allowed = await this.#allow(side, data);
      if (allowed !== undefined) await this.#providerSocket.send(allowed, binary);
    }
    this.#end({ outcome: this.#bill.owes() ? "client-left" : "complete", code: 1000, reason: "" });
  }

  /**
   * Returns the event for the provider. Returns undefined when it is rejected, after the client received the
   * error.
   */
  async #allow(side: MessageSocket, data: Buffer): Promise<Buffer | string | undefined> {
    try {
      const event = await this.#allowed(data);
      this.#refusals = 0;
      return event;
    } catch (error) {
      this.#refusals += 1;
      // Other errors end the session: a revoked key, an exhausted balance, a defect.
      if (!(error instanceof GatewayError) || !survived.has(error.code) || this.#refusals > MAX_REFUSALS)
        throw error;
      await side.send(errorEvent(error, this.#call.requestId));
      return undefined;
    }
  }

  /**
   * Checks the transcriber against the key's list of models. The session's own model was checked when it was
   * opened.
   */
  #requireTranscriber(model: string): void {
    if (mayUseModel(this.#call.caller, model)) return;
    throw new GatewayError(
      "model_not_allowed",
      { reason: "transcriber_not_for_key", model },
      {
        param: "session.audio.input.transcription.model",
      },
    );
  }

  async #allowed(data: Buffer): Promise<Buffer | string> {
    const { raw, body } = this.#call.readEvent(data);
    const event = readClientEvent(body);
    switch (event.kind) {
      case "ask":
        if (this.#finishing) throw shuttingDown();
        await this.#bill.input(event.input);
        await this.#bill.ready(event.limits.output);
        return raw;
      case "configure": {
        for (const model of event.transcribers) this.#requireTranscriber(model);
        this.#bill.limit(event.limits.output);
        await this.#bill.input(event.input);
        // The model was chosen and priced by the URL.
        const { model } = event.session;
        if (model === undefined || model === this.#target.upstreamModel) return raw;
        const session = { ...event.session, model: this.#target.upstreamModel };
        return JSON.stringify({ ...event.event, session });
      }
      case "heard":
        await this.#bill.input(event.input);
        return raw;
      case "other":
        return raw;
    }
  }

  /** Ends the session after a ledger error or a defect of ours. */
  #broken(error: unknown): void {
    if (!(error instanceof GatewayError)) this.#services.onError(error);
    const named = nameOf(error);
    this.#end({
      outcome: "client-left",
      code: named.status >= 500 ? 1011 : 1008,
      reason: named.code,
      error: named,
    });
  }

  /**
   * Drains the session after the client left: the provider stops the response and reports its usage, for a
   * bounded time.
   */
  async #readOn(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const drain = this.#services.drains.begin(this.#call.caller.userId, late.resolve);
    if (drain === undefined) return;
    if (this.#bill.busy()) await this.#providerSocket.send(JSON.stringify({ type: "response.cancel" }));
    await Promise.race([this.#allPaid.promise, late.promise, this.#providerSocket.closed]);
    drain.end();
  }

  async #close(as: Ending): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#idle);
    this.#unwatch();
    if (as.outcome === "client-left" && as.error === undefined && this.#bill.owes()) await this.#readOn();
    this.#providerSocket.close(1000, "");
    this.#opened.leave();
    await this.#bill.close(as.outcome);
    const errorCode = as.outcome === "complete" ? "" : (as.error?.code ?? "");
    this.#call.trace?.endSession({ outcome: as.outcome, errorCode });
    if (this.#client !== undefined) {
      if (as.error !== undefined) await this.#client.send(errorEvent(as.error, this.#call.requestId));
      this.#client.close(as.code, as.reason);
    }
    this.#over.resolve();
  }
}

/** Encodes an error as an event of the session. */
export function errorEvent(error: unknown, requestId: string): string {
  const { body } = dialects["openai-chat"].encodeError(nameOf(error), requestId);
  return JSON.stringify({ type: "error", event_id: `event_${requestId}`, ...body });
}

function nameOf(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return internalError(error);
}

/** Ignores a used-up rate limit: it delays the next response but does not end the session. */
function unlessRated(error: unknown): void {
  if (!(error instanceof GatewayError) || error.code !== "rate_limit_exceeded") throw error;
}

function upstreamDied(): GatewayError {
  return new GatewayError("upstream_failed", { reason: "upstream_broke_off_session" });
}

function stopping(): Ending {
  return { outcome: "complete", code: 1001, reason: "shutting_down", error: shuttingDown() };
}

function idleEnding(idleMs: number): Ending {
  const error = invalidRequest({ reason: "session_idle", seconds: Math.round(idleMs / 1_000) });
  return { outcome: "complete", code: 1000, reason: "idle", error };
}
