import { setImmediate as nextTurn } from "node:timers/promises";
import { GatewayError, invalidRequest, shuttingDown } from "#errors.ts";
import { toGatewayError } from "#gateway/http/to-gateway-error.ts";
import { now } from "#platform/clock.ts";
import { type Cancellation, createCancellation } from "#platform/http/cancellation.ts";
import type { SocketMessage, MessageSocket } from "#platform/http/web-socket.ts";
import type { History } from "./history.ts";
import { type Create, readEvent, isIgnoredEvent } from "./read-event.ts";

/**
 * A connection on which a client requests one response after another. Each response is a call of its own. The
 * connection only tracks whether one is in progress, the items so far, and when to end.
 */
export interface ResponseConnection {
  /** Serves the client until the connection is closed and its last response is settled. Never throws. */
  run(): Promise<void>;
  /** Ends the connection after the response in progress. Resolves when it is closed. */
  finish(): Promise<void>;
}

export interface SocketConnection {
  socket: MessageSocket;
  history: History;
  /** Encodes an error as an event. */
  encode(error: unknown): string;
  /** Milliseconds without an event after which the connection is closed. */
  idleMs: number;
  /** Milliseconds after which new responses are rejected. */
  maxAgeMs: number;
  /** Calls `onRevoked` when the key may no longer call. Returns a function that ends the watch. */
  watch(onRevoked: (error: GatewayError) => void): () => void;
  /** Called before an event is parsed. Throws when key, rate or balance do not allow it. */
  admit(): Promise<void>;
  /** Returns a function that releases the memory of the messages that have arrived. */
  arrived(): () => void;
  /** Sends a response. Throws the errors that would be error responses over HTTP. */
  respond(created: CreatedResponse): Promise<void>;
}

export interface CreatedResponse {
  event: Create;
  history: History;
  signal: Cancellation;
  /** Releases the memory of the event, which is not needed once the whole request was read. */
  release(): void;
}

/** Errors of the key, after which no further response can succeed. */
const fatal: ReadonlySet<string> = new Set([
  "invalid_api_key",
  "token_disabled",
  "token_expired",
  "address_not_allowed",
]);

/** Refused events in a row that are answered. The next one closes the connection. */
const MAX_REFUSALS = 10;
/** Events without an effect are shorter, in bytes. */
const MAX_IGNORED = 1_024;
/** Events that take long to parse, in bytes. */
const LARGE = 256 * 1024;

export function openConnection(connected: SocketConnection): ResponseConnection {
  const { socket, encode, history } = connected;
  const openedAt = now();
  const { promise: over, resolve: closed } = Promise.withResolvers<void>();
  let current: { signal: Cancellation; done: Promise<void> } | undefined;
  let finishing = false;
  let isEnding = false;
  /** Refused events since the last one that was accepted. */
  let refusals = 0;
  let idle: NodeJS.Timeout | undefined;

  function touch(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (current === undefined) void end(idleError(connected.idleMs), 1000);
      else touch();
    }, connected.idleMs);
    idle.unref();
  }

  async function end(error: unknown, code: number): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    await socket.send(encode(error));
    socket.close(code, toGatewayError(error).code);
  }

  async function refuse(error: unknown): Promise<void> {
    refusals += 1;
    const isFatal = error instanceof GatewayError && fatal.has(error.code);
    if (isFatal || refusals > MAX_REFUSALS) await end(error, 1008);
    else if (!isEnding) await socket.send(encode(error));
  }

  async function create(event: Create, release: () => void): Promise<void> {
    const signal = createCancellation();
    const done = connected.respond({ event, history, signal, release }).then(() => {
      refusals = 0;
    }, refuse);
    current = { signal, done };
    await done;
    release();
    current = undefined;
    touch();
    if (finishing) await end(shuttingDown(), 1001);
  }

  /** Everything that needs no content is checked before an event is parsed, whatever its size. */
  async function take({ data, binary }: SocketMessage): Promise<void> {
    const release = connected.arrived();
    let isCreating = false;
    try {
      if (binary) throw invalidRequest({ reason: "socket_message_not_text" });
      await connected.admit();
      if (data.length <= MAX_IGNORED && isIgnoredEvent(data)) return;
      if (current !== undefined) throw invalidRequest({ reason: "socket_busy" });
      if (finishing) throw shuttingDown();
      if (now() - openedAt >= connected.maxAgeMs) return await end(ageError(connected.maxAgeMs), 1000);
      // Other requests are served between large events.
      if (data.length > LARGE) await nextTurn();
      const event = readEvent(data, history);
      isCreating = true;
      // Reads the next message while the response is sent, which is the only way to notice that a client
      // leaves.
      void create(event, release);
    } catch (error) {
      await refuse(error);
    } finally {
      if (!isCreating) release();
    }
  }

  function finish(): Promise<void> {
    finishing = true;
    if (current === undefined) void end(shuttingDown(), 1001);
    return over;
  }

  return {
    async run() {
      touch();
      const unwatch = connected.watch((error) => {
        // The response in progress ends with the same error first.
        if (error.code === "shutting_down") void finish();
        else void end(error, 1008);
      });
      const aged = setTimeout(() => {
        if (current === undefined) void end(ageError(connected.maxAgeMs), 1000);
      }, connected.maxAgeMs);
      aged.unref();
      if (finishing) void end(shuttingDown(), 1001);
      for await (const message of socket.messages()) {
        touch();
        if (!isEnding) await take(message);
      }
      isEnding = true;
      clearTimeout(idle);
      clearTimeout(aged);
      unwatch();
      current?.signal.cancel();
      await current?.done;
      closed();
    },
    finish,
  };
}

function idleError(idleMs: number): GatewayError {
  return invalidRequest({ reason: "socket_idle", seconds: Math.round(idleMs / 1_000) });
}

function ageError(maxAgeMs: number): GatewayError {
  return invalidRequest({ reason: "socket_age", minutes: Math.round(maxAgeMs / 60_000) });
}
