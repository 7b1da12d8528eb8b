import { dialects } from "#dialects/index.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { mayUseModel } from "#domain/tokens/callers.ts";
import { GatewayError, internalError, invalidRequest, shuttingDown } from "#errors.ts";
import type { MessageSocket, SocketMessage } from "#platform/http/web-socket.ts";
import type { EndedCall } from "#relay/core/billing/call-end.ts";
import type { PricedTarget, ReceivedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { forClients } from "#relay/core/upstream/scrub.ts";
import type { RealtimeBill } from "./realtime-bill.ts";
import { readClientEvent, readServerEvent } from "./realtime-events.ts";

/**
 * A realtime session with two sockets. Events pass unchanged and in order, as fast as the other side accepts
 * them. The session ends when either side ends, with its bill closed.
 */
export interface RealtimeSession {
  /** Passes events until the session ends. Never throws. */
  run(client: MessageSocket): Promise<void>;
  /** Ends a session whose client left before the upgrade. */
  abandon(): Promise<void>;
  /** Ends the session after the response in progress. Resolves when the session is over. */
  finish(): Promise<void>;
}

export interface RealtimeCall extends ReceivedCall {
  /** Query parameters except the model. Passed unchanged. */
  readonly query: URLSearchParams;
  /** Client headers for the provider. */
  readonly forward: Record<string, string>;
  /** Called before each further response. Throws when the caller is not allowed. */
  admit(call: ReceivedCall): Promise<ReceivedCall>;
  /** Parses a client event unambiguously. Throws `invalid_request`. */
  readEvent(data: Buffer): { raw: Buffer; body: Record<string, unknown> };
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

export function openSession(opened: RealtimeConnection): RealtimeSession {
  const { services, call, target, bill, providerSocket } = opened;
  const { promise: ended, resolve: end } = Promise.withResolvers<Ending>();
  const { promise: over, resolve: closed } = Promise.withResolvers<void>();
  let idle: NodeJS.Timeout | undefined;
  const { promise: allPaid, resolve: paid } = Promise.withResolvers<void>();
  let finishing = false;
  let isOver = false;
  /** Refused events since the last one that was passed on. */
  let refusals = 0;
  const unwatch = services.revocations.watch(call.caller, (error) => {
    const isStop = error.code === "shutting_down";
    end({
      outcome: isStop ? "interrupted" : "client-left",
      code: isStop ? 1001 : 1008,
      reason: error.code,
      error,
    });
  });
  let client: MessageSocket | undefined;

  function touch(): void {
    clearTimeout(idle);
    idle = setTimeout(() => end(idleEnding(call.idleMs)), call.idleMs);
  }

  async function fromProvider(side: MessageSocket): Promise<void> {
    await passToClient(side, opened.first);
    for await (const message of opened.messages) {
      touch();
      await passToClient(side, message);
    }
    const { code, reason } = await providerSocket.closed;
    const clean = code === 1000 || code === 1001 || code === 1005;
    end(
      clean && !bill.busy()
        ? { outcome: "complete", code: 1000, reason }
        : { outcome: "upstream-died", code: 1011, reason: "upstream_failed", error: upstreamDied() },
    );
  }

  /** Closes the bill, sends the event that completes a response, then reserves the next response. */
  async function passToClient(side: MessageSocket, { data, binary }: SocketMessage): Promise<void> {
    const text = data.toString("utf8");
    const event = readServerEvent(text);
    let isSpent = event.kind === "done";
    switch (event.kind) {
      case "session":
        bill.facts = { ...event.facts, transcriber: event.facts.transcriber ?? bill.facts.transcriber };
        break;
      case "begun":
        await bill.begin(event.id);
        break;
      case "text":
        bill.output(event.id, { text: event.text });
        break;
      case "sound":
        bill.output(event.id, { bytes: event.bytes });
        break;
      case "done":
        await bill.done(event.id, event.usage, isOver ? "client-left" : "complete");
        break;
      case "recorded":
        bill.transcribing(event.item, "");
        break;
      case "transcribing":
        bill.transcribing(event.item, event.text);
        break;
      case "untranscribed":
        bill.untranscribed(event.item);
        break;
      case "transcribed":
        isSpent = await bill.transcribed(event.item, event.usage, event.text);
        break;
      case "error":
        return side.send(forClients(text, target), binary);
      case "other":
        break;
    }
    const sent = event.kind === "text" || event.kind === "sound" ? text : withoutNegativeCounts(text);
    await side.send(sent === text ? data : sent, binary);
    if (isOver && !bill.owes()) paid();
    if (!isSpent || isOver) return;
    const isRated = event.kind === "done";
    if (isRated && finishing && !bill.busy()) end(stopping());
    else await bill.renew(isRated).catch(unlessRated);
  }

  async function fromClient(side: MessageSocket): Promise<void> {
    for await (const { data, binary } of side.messages()) {
      touch();
      const allowed = await allow(side, data);
      if (allowed !== undefined) await providerSocket.send(allowed, binary);
    }
    end({ outcome: bill.owes() ? "client-left" : "complete", code: 1000, reason: "" });
  }

  /**
   * Returns the event for the provider. Returns undefined when it is rejected, after the client received the
   * error.
   */
  async function allow(side: MessageSocket, data: Buffer): Promise<Buffer | string | undefined> {
    try {
      const event = await allowed(data);
      refusals = 0;
      return event;
    } catch (error) {
      refusals += 1;
      // Other errors end the session: a revoked key, an exhausted balance, a defect.
      if (!(error instanceof GatewayError) || !survived.has(error.code) || refusals > MAX_REFUSALS)
        throw error;
      await side.send(errorEvent(error, call.requestId));
      return undefined;
    }
  }

  /**
   * Checks the transcriber against the key's list of models. The session's own model was checked when it was
   * opened.
   */
  function requireTranscriber(model: string): void {
    if (mayUseModel(call.caller, model)) return;
    throw new GatewayError(
      "model_not_allowed",
      { reason: "transcriber_not_for_key", model },
      {
        param: "session.audio.input.transcription.model",
      },
    );
  }

  async function allowed(data: Buffer): Promise<Buffer | string> {
    const { raw, body } = call.readEvent(data);
    const event = readClientEvent(body);
    switch (event.kind) {
      case "ask":
        if (finishing) throw shuttingDown();
        await bill.input(event.input);
        await bill.ready(event.limits.output);
        return raw;
      case "configure": {
        event.transcribers.forEach(requireTranscriber);
        bill.limit(event.limits.output);
        await bill.input(event.input);
        // The model was chosen and priced by the URL.
        const { model } = event.session;
        if (model === undefined || model === target.upstreamModel) return raw;
        const session = { ...event.session, model: target.upstreamModel };
        return JSON.stringify({ ...event.event, session });
      }
      case "heard":
        await bill.input(event.input);
        return raw;
      case "other":
        return raw;
    }
  }

  /** Ends the session after a ledger error or a defect of ours. */
  function broken(error: unknown): void {
    if (!(error instanceof GatewayError)) services.onError(error);
    const named = nameOf(error);
    end({
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
  async function readOn(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const drain = services.drains.begin(call.caller.userId, late.resolve);
    if (drain === undefined) return;
    if (bill.busy()) await providerSocket.send(JSON.stringify({ type: "response.cancel" }));
    await Promise.race([allPaid, late.promise, providerSocket.closed]);
    drain.end();
  }

  async function close(ending: Ending): Promise<void> {
    isOver = true;
    clearTimeout(idle);
    unwatch();
    if (ending.outcome === "client-left" && ending.error === undefined && bill.owes()) await readOn();
    providerSocket.close(1000, "");
    opened.leave();
    await bill.close(ending.outcome);
    if (client !== undefined) {
      if (ending.error !== undefined) await client.send(errorEvent(ending.error, call.requestId));
      client.close(ending.code, ending.reason);
    }
    closed();
  }

  return {
    async run(side) {
      client = side;
      touch();
      if (finishing) end(stopping());
      fromProvider(side).catch(broken);
      fromClient(side).catch(broken);
      await close(await ended);
    },
    abandon: () => close({ outcome: "client-left", code: 1000, reason: "" }),
    finish() {
      finishing = true;
      if (!bill.busy()) end(stopping());
      return over;
    },
  };
}

function errorEvent(error: unknown, requestId: string): string {
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
