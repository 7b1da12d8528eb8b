import { type Dispatcher, errors } from "undici";
import { generatorOf } from "#platform/generator-of.ts";
import { type AnswerLimits, excessOf } from "./answer-limits.ts";
import type { CancelSignal } from "./cancellation.ts";
import type { UpstreamRequest, RequestProgress, UpstreamResponse } from "./exchange.ts";
import { mayUseTurn, takeFromTurn } from "./loop-turns.ts";
import { type BodyFlow, type BodyReader, textIn } from "./response-body.ts";
import { classify, tooLarge, TransportError } from "./transport-error.ts";

// Chunks that may wait for a slow reader before the socket is paused, and the level at which it resumes.
const HIGH_WATER = 512;
const LOW_WATER = 128;
/** The same in bytes: large responses arrive in pieces of 64 KB. */
const HIGH_WATER_BYTES = 512 * 1024;
const LOW_WATER_BYTES = 128 * 1024;
/** Waiting chunks are joined up to this size. */
const JOINED_BYTES = 64 * 1024;
/** Responses that are larger share the turns of the event loop. */
const LARGE_BYTES = 64 * 1024;

/**
 * Longer than a closed connection takes to be noticed. An upstream that hangs up later has read the request,
 * and may have started processing it.
 */
const CLOSED_ALREADY_MS = 1_000;

/**
 * Returns whether the upstream had closed the idle connection before the request was written, so no one read
 * it. Recognised by a connection that has received data before and ends at once.
 */
function wasIdle(error: Error, ageMs: number): boolean {
  return (
    error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0 && ageMs < CLOSED_ALREADY_MS
  );
}

/**
 * Collects the response of one dispatched request: a small queue between undici's callbacks and one reader.
 */
export class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly response: Promise<UpstreamResponse>;
  #settleResponse!: { resolve(value: UpstreamResponse): void; reject(error: Error): void };
  #controller: Dispatcher.DispatchController | undefined;
  #sentAt = 0;
  #queue: Buffer[] = [];
  #queued = 0;
  #ended = false;
  #failure: TransportError | undefined;
  #wake: (() => void) | undefined;
  #reader: BodyReader | undefined;
  #isPaused = false;
  #awaitsTurn = false;
  #isScheduled = false;
  #signal: CancelSignal | undefined;
  #onAbort = () => this.cancel();
  #progress: RequestProgress | undefined;
  /** Sends the request once more; undefined when that is not allowed. */
  #again: (() => void) | undefined;
  limits: AnswerLimits | undefined;
  #bytes = 0;
  #firstByteTimeoutMs: number;

  constructor(
    {
      signal,
      progress,
      firstByteTimeoutMs,
    }: Pick<UpstreamRequest, "signal" | "progress" | "firstByteTimeoutMs">,
    again: ((exchange: ResponseCollector) => void) | undefined,
  ) {
    this.#signal = signal;
    this.#progress = progress;
    this.#firstByteTimeoutMs = firstByteTimeoutMs;
    this.#again = again && (() => again(this));
    this.response = new Promise((resolve, reject) => {
      this.#settleResponse = { resolve, reject };
    });
    if (signal?.aborted) this.cancel();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#sentAt = performance.now();
    // Cancelled while the request waited for a connection.
    if (this.#failure !== undefined) controller.abort(this.#failure);
    else this.#progress?.sent();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      // Interim responses restart undici's timeout, so that it alone would never end.
      if (this.#firstByteTimeoutMs > 0 && performance.now() - this.#sentAt > this.#firstByteTimeoutMs)
        controller.abort(new TransportError("timeout", "Only interim responses arrived."));
      return;
    }
    this.#again = undefined;
    this.#progress?.answered(status, headers);
    this.#settleResponse.resolve({
      status,
      headers,
      text: (maxBytes) => this.#text(maxBytes),
      chunks: () => this.#chunks(),
      read: (reader) => this.#read(reader),
      cancel: () => this.cancel(),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.limits !== undefined && this.#exceeds(this.limits)) return;
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    this.#progress?.received(chunk.length);
    if (!this.#mayUseTurn() || this.#queue.length >= HIGH_WATER || this.#queued >= HIGH_WATER_BYTES)
      controller.pause();
    this.#wakeReader();
  }

  #mayUseTurn(): boolean {
    this.#awaitsTurn ||= this.#bytes > LARGE_BYTES && !mayUseTurn(this);
    return !this.#awaitsTurn;
  }

  beginTurn(): void {
    this.#awaitsTurn = false;
    this.#resumeWhenLow();
    this.#deliver();
  }

  /** Ends the response when it exceeds a limit. Data that arrived before is still read. */
  #exceeds(limits: AnswerLimits): boolean {
    const excess = excessOf(limits, this.#bytes, performance.now() - this.#sentAt);
    if (excess === undefined) return false;
    this.#controller?.abort(excess);
    return true;
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#release();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const again = this.#again;
    if (again === undefined || !wasIdle(error, performance.now() - this.#sentAt))
      return this.#fail(classify(error));
    this.#again = undefined;
    this.#controller = undefined;
    again();
  }

  cancel(): void {
    if (this.#ended || this.#failure !== undefined) return;
    const reason = new TransportError("aborted", "The call was cancelled.");
    if (this.#controller === undefined) this.#fail(reason);
    else this.#controller.abort(reason);
  }

  #fail(failure: TransportError): void {
    this.#failure ??= failure;
    this.#settleResponse.reject(this.#failure);
    this.#release();
  }

  #release(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#wakeReader();
  }

  #wakeReader(): void {
    if (this.#reader === undefined) this.#wake?.();
    else this.#schedule();
  }

  #read(reader: BodyReader): BodyFlow {
    this.#reader = reader;
    this.#schedule();
    return {
      pause: () => {
        this.#isPaused = true;
      },
      resume: () => {
        this.#isPaused = false;
        this.#schedule();
      },
    };
  }

  /** Pieces that one read of the socket brings are handed over together: the parser calls back for each. */
  #schedule(): void {
    if (this.#isScheduled || this.#isPaused) return;
    this.#isScheduled = true;
    queueMicrotask(this.#deliver);
  }

  readonly #deliver = (): void => {
    this.#isScheduled = false;
    const reader = this.#reader;
    if (reader === undefined) return;
    try {
      while (!this.#isPaused && this.#mayUseTurn()) {
        const chunk = this.#take();
        if (chunk !== undefined) reader.data(chunk);
        else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#ended) {
          this.#reader = undefined;
          reader.end();
          return;
        } else return;
      }
    } catch (error) {
      this.#reader = undefined;
      this.cancel();
      reader.fail(error);
    }
  };

  #chunks(): AsyncGenerator<Buffer, void, undefined> {
    return generatorOf(
      () => this.#next(),
      async () => this.cancel(),
    );
  }

  async #next(): Promise<Buffer | undefined> {
    while (this.#mayGetMore()) await this.#arrival();
    return this.#take();
  }

  /** Reads what has arrived without waiting: most responses arrive at once. */
  async #text(maxBytes: number): Promise<string> {
    const parts: Buffer[] = [];
    let size = 0;
    while (true) {
      while (this.#mayGetMore()) await this.#arrival();
      const chunk = this.#take();
      if (chunk === undefined) return textIn(parts);
      size += chunk.length;
      parts.push(chunk);
      if (size <= maxBytes) continue;
      this.cancel();
      throw tooLarge(maxBytes);
    }
  }

  /** Returns whether nothing has arrived but still may. Throws the reason of a failure. */
  #mayGetMore(): boolean {
    if (this.#queue.length > 0) return false;
    if (this.#failure !== undefined) throw this.#failure;
    return !this.#ended;
  }

  #arrival(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /**
   * Takes queued chunks and joins small ones, so that one socket read is written at once. Returns undefined
   * when there are none.
   */
  #take(): Buffer | undefined {
    const queue = this.#queue;
    if (queue.length === 0) return undefined;
    let size = queue[0]?.length ?? 0;
    let count = 1;
    while (count < queue.length) {
      const more = queue[count]?.length ?? 0;
      if (size + more > JOINED_BYTES) break;
      size += more;
      count += 1;
    }
    this.#queued -= size;
    if (this.#bytes > LARGE_BYTES) takeFromTurn(size);
    const parts = count === queue.length ? queue : queue.splice(0, count);
    if (parts === queue) this.#queue = [];
    this.#resumeWhenLow();
    return parts.length === 1 ? parts[0] : Buffer.concat(parts, size);
  }

  #resumeWhenLow(): void {
    if (
      this.#controller?.paused === true &&
      !this.#awaitsTurn &&
      this.#queue.length <= LOW_WATER &&
      this.#queued <= LOW_WATER_BYTES
    )
      this.#controller.resume();
  }
}
