import { parseSmall } from "#dialects/json/parse-json.ts";
import { now } from "#platform/clock.ts";
import { generatorOf } from "#platform/generator-of.ts";
import { type AnswerLimits, excessOf } from "#platform/http/answer-limits.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { RequestProgress, UpstreamResponse } from "#platform/http/exchange.ts";
import { bodyOf } from "#platform/http/response-body.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { MessageSocket } from "#platform/http/web-socket.ts";

/**
 * One WebSocket to a provider's Responses API. Sends one request at a time, and returns its events as the
 * response of the equivalent HTTP request.
 */
export interface ResponseLine {
  readonly state: "free" | "busy" | "closed";
  /** The response that the provider can continue without its items; undefined after an error. */
  readonly lastId: string | undefined;
  /** Returns "gone" when the provider had closed the connection before it read the request. */
  send(ahead: Ahead, limits: LineLimits): Promise<UpstreamResponse | "gone">;
  close(): void;
}

/** A request as messages. */
export interface Ahead {
  whole(): string;
  /** Only what the provider does not have yet; undefined when it has nothing. */
  rest: string | undefined;
  signal: CancelSignal;
  progress: RequestProgress | undefined;
}

export interface LineLimits extends AnswerLimits {
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
}

interface Event {
  type: string;
  text: string;
  read(): Record<string, unknown>;
}

const ends: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error",
]);

/** A connection that ends within this time of a request was closed before the request was read. */
const CLOSED_ALREADY_MS = 1_000;

export function openResponseLine(socket: MessageSocket): ResponseLine {
  const messages = socket.messages();
  let state: ResponseLine["state"] = "free";
  let lastId: string | undefined;
  let requests = 0;
  void socket.closed.then(() => (state = "closed"));

  function close(): void {
    state = "closed";
    socket.close(1000, "");
  }

  /** Returns the next event; undefined when the connection is closed. */
  async function next(timeoutMs: number, signal: CancelSignal): Promise<Event | undefined> {
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => stop(new TransportError("timeout", `No event arrived within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const cancel = () => stop(new TransportError("aborted", "The call was cancelled."));
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    try {
      const message = await Promise.race([messages.next(), stopped]);
      return message.done === true ? undefined : eventOf(message.value.data.toString("utf8"));
    } catch (error) {
      close();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Sends a message and returns the first event of its response. */
  async function ask(
    message: string,
    { signal, progress }: Ahead,
    timeoutMs: number,
  ): Promise<Event | "gone"> {
    requests += 1;
    const sentAt = now();
    await socket.send(message);
    progress?.sent();
    const event = await next(timeoutMs, signal);
    if (event !== undefined) return event;
    if (requests > 1 && now() - sentAt < CLOSED_ALREADY_MS) return "gone";
    throw new TransportError("network", "The provider closed the connection.");
  }

  function over(event: Event): void {
    const id = event.type === "response.completed" ? idIn(event.read()) : undefined;
    lastId = id;
    if (state === "busy") state = "free";
  }

  return {
    get state() {
      return state;
    },
    get lastId() {
      return lastId;
    },
    close,
    async send(ahead, limits) {
      if (state === "closed") return "gone";
      state = "busy";
      let first = await ask(ahead.rest ?? ahead.whole(), ahead, limits.firstByteTimeoutMs);
      if (first === "gone") return first;
      if (ahead.rest !== undefined && codeIn(first) === "previous_response_not_found") {
        first = await ask(ahead.whole(), ahead, limits.firstByteTimeoutMs);
        if (first === "gone") return first;
      }
      if (codeIn(first) === "websocket_connection_limit_reached" && requests > 1) {
        close();
        return "gone";
      }
      if (first.type === "error") {
        over(first);
        return refusalOf(first, ahead.progress);
      }
      ahead.progress?.answered(200, {}, "websocket");
      return responseOf(first, ahead, limits);
    },
  };

  function responseOf(first: Event, { signal, progress }: Ahead, limits: LineLimits): UpstreamResponse {
    const startedAt = now();
    let event: Event | undefined = first;
    let isOver = false;
    let bytes = 0;

    async function piece(): Promise<Buffer | undefined> {
      if (isOver) return undefined;
      const current = event ?? (await next(limits.idleTimeoutMs, signal));
      event = undefined;
      if (current === undefined) throw new TransportError("network", "The provider closed the connection.");
      const frame = Buffer.from(`event: ${current.type}\ndata: ${current.text}\n\n`);
      progress?.received(frame.length);
      bytes += frame.length;
      const excess = excessOf(limits, bytes, now() - startedAt);
      if (excess !== undefined) throw excess;
      isOver = ends.has(current.type);
      if (isOver) over(current);
      return frame;
    }
    // A response that is not read to its end cannot be cancelled without its connection.
    const leave = () => {
      if (!isOver) close();
    };
    return {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      ...bodyOf(() => generatorOf(piece, async () => leave())),
      cancel: leave,
    };
  }
}

const typeFirst = /^\s*\{\s*"type"\s*:\s*"([\w.-]{1,100})"/;

/** Most providers write the type first, so that the rest need not be parsed. */
function eventOf(text: string): Event {
  const read = () => parseEvent(text);
  const type = typeFirst.exec(text)?.[1] ?? read()["type"];
  if (typeof type !== "string" || !/^[\w.-]+$/.test(type)) throw notAnEvent();
  return { type, text: /[\r\n]/.test(text) ? JSON.stringify(read()) : text, read };
}

function parseEvent(text: string): Record<string, unknown> {
  const event = parseSmall(text);
  if (event === undefined) throw notAnEvent();
  return recordIn(event);
}

function notAnEvent(): TransportError {
  return new TransportError("network", "The provider sent a message that is not an event.");
}

function recordIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function idIn(event: Record<string, unknown>): string | undefined {
  const { id } = recordIn(event["response"]);
  return typeof id === "string" ? id : undefined;
}

function codeIn(event: Event): unknown {
  return event.type === "error" ? recordIn(event.read()["error"])["code"] : undefined;
}

/** Returns the error that would be a response of its own over HTTP. */
function refusalOf(event: Event, progress: RequestProgress | undefined): UpstreamResponse {
  const { status: given, error, headers } = event.read();
  const status = typeof given === "number" && given >= 400 && given < 600 ? given : 500;
  const texts = Object.entries(recordIn(headers)).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const body = Buffer.from(JSON.stringify({ error: error ?? event.read() }));
  const answer = { status, headers: Object.fromEntries(texts) as Record<string, string> };
  progress?.answered(status, answer.headers, "websocket");
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    yield body;
  }
  return { ...answer, ...bodyOf(chunks), cancel: () => {} };
}
