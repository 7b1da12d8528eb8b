import type { EventEmitter } from "node:events";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/**
 * Requests of the HTTP port that are being answered, so that a node can stop without losing one: clients and
 * proxies must know that a connection ends before they use it again.
 */
export interface OpenResponses {
  /** The class of the port's responses. Once the node stops, their heads close the connection. */
  Response: typeof ServerResponse;
  /** @param over closes when the request is over: the response, or the socket of an upgraded connection */
  add(over: EventEmitter): void;
  /** From now on, every response whose head was not sent yet closes its connection. */
  closeConnections(): void;
  /** Resolves when no request has come for `QUIET_MS`, at the latest after `MOST_QUIET_MS`. */
  quiet(): Promise<void>;
  /**
   * Call it right before the port is closed: the system resets connections that wait to be accepted, and a request on
   * an idle connection that is closed is lost, too. Holds back the requests that come, so that clients have no reason
   * to send another one, and resolves in a moment in which nothing is on its way. They go on in the next turn of the
   * event loop.
   */
  beforePortCloses(server: Server): Promise<void>;
  /** Undefined when a request may go on. */
  pending(): Promise<void> | undefined;
  /**
   * Calls the listener when the last request is over and none has come for `QUIET_MS`; for `KEPT_QUIET_MS` where a
   * response whose head was sent before the stop had promised to keep its connection.
   */
  onIdle(listener: () => void): void;
}

/**
 * Time in which a client with a response in hand sends its next request on the same connection. A connection
 * that was silent for longer may be closed: clients expect that of idle ones.
 */
const QUIET_MS = 300;
const KEPT_QUIET_MS = 2_000;
const MOST_QUIET_MS = 2_000;
const LOOK_MS = 20;
/** Time after which a client that has its response has sent the next request. */
const SETTLED_MS = 50;
const MOST_SETTLING_MS = 3_000;
/** A turn of the event loop that is shorter has done no work. */
const TURN_MS = 0.3;
const MOST_TURNS_MS = 1_500;
/** Turns of the event loop in which everything that has arrived is read. */
const READING_TURNS = 3;

export function createOpenResponses(): OpenResponses {
  // A number instead of a map of the responses: V8's old tables of a map keep what they refer to in memory.
  let open = 0;
  let isClosing = false;
  let isKept = false;
  let lastAt = 0;
  let idle: (() => void) | undefined;
  let pending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  class Response<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...rest: unknown[]): this {
      if (isClosing) this.shouldKeepAlive = false;
      return super.writeHead(status, ...(rest as []));
    }
  }

  // One listener for all requests: it finds its own by `this`.
  function onClose(this: unknown): void {
    open -= 1;
    lastAt = performance.now();
    if (isClosing && this instanceof Response && this.shouldKeepAlive) isKept = true;
    if (idle !== undefined) lookIdle();
  }

  function lookIdle(): void {
    clearTimeout(timer);
    if (open === 0) timer = setTimeout(() => void closeIdle(), isKept ? KEPT_QUIET_MS : QUIET_MS);
    timer?.unref();
  }

  async function closeIdle(): Promise<void> {
    // A process that had to wait for a processor runs its timers before it reads what came meanwhile.
    for (let turn = 0; turn < READING_TURNS; turn += 1) await nextTurn();
    if (open === 0) idle?.();
  }

  return {
    Response,
    add(over) {
      open += 1;
      over.on("close", onClose);
      if (isClosing) lastAt = performance.now();
    },
    closeConnections() {
      isClosing = true;
    },
    async quiet() {
      const until = performance.now() + MOST_QUIET_MS;
      while (performance.now() < until && performance.now() - lastAt < QUIET_MS) await sleep(LOOK_MS);
    },
    async beforePortCloses(server) {
      const { promise, resolve } = Promise.withResolvers<void>();
      pending = promise;
      await nothingArrives(server, () => lastAt);
      setImmediate(() => {
        pending = undefined;
        resolve();
      });
    },
    pending: () => pending,
    onIdle(listener) {
      idle = listener;
      lookIdle();
    },
  };
}

/** Waits until no connection and no request has come for a while, then for a turn of the event loop without work. */
async function nothingArrives(server: Server, lastAt: () => number): Promise<void> {
  let acceptedAt = performance.now();
  const accept = () => {
    acceptedAt = performance.now();
  };
  server.on("connection", accept);
  const isSettled = () => performance.now() - Math.max(acceptedAt, lastAt()) >= SETTLED_MS;
  for (const until = performance.now() + MOST_SETTLING_MS; !isSettled() && performance.now() < until;)
    await sleep(1);
  for (const until = performance.now() + MOST_TURNS_MS; performance.now() < until;) {
    const begun = performance.now();
    // Each turn accepts at most one connection.
    await nextTurn();
    if (acceptedAt < begun && lastAt() < begun && performance.now() - begun < TURN_MS) break;
  }
  server.off("connection", accept);
}
