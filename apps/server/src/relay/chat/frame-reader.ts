import { createFrameSplitter, FrameTooLarge, type RawFrame } from "#dialects/stream/sse.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import type { BodyFlow, BodyReader } from "#platform/http/response-body.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { MemoryShare } from "#relay/core/call.ts";
import { UNCOUNTED_BYTES } from "#relay/core/response/whole-text.ts";

/** Time and memory limits of an upstream's stream. */
export interface StreamLimits {
  /** Characters of one frame, and of everything after the frame that completes the response. */
  maxChars: number;
  /** Milliseconds without a frame, once the response is complete, until the connection is closed. */
  graceMs: number;
}

/**
 * Old models of one dialect send "finished" in every chunk, so the grace period exceeds any pause between two
 * chunks.
 */
const streamLimits: StreamLimits = { maxChars: 32 * 1024 * 1024, graceMs: 20_000 };

/** Receives the frames of a stream. Either `end` or `fail` is called last, unless the reader was closed before. */
export interface FrameHandler {
  /** Called with the frames that arrived together; never with an empty list. */
  frames(frames: readonly RawFrame[]): void;
  end(): void;
  /** @param error a TransportError, `overloaded` when a long frame does not fit the memory budget, or a defect */
  fail(error: unknown): void;
  /** Returns whether a frame that completes the response has arrived. */
  isComplete(): boolean;
}

/** Copies in memory: what is kept, and its form for the client. */
const COPIES = 2;
const FIRST_STEP = 1024 * 1024;

/**
 * Reads the frames of a response as they arrive. An upstream that continues after its response is complete is
 * cut off without an error. What is kept counts in the memory budget: a long frame while it arrives, and what follows
 * the frame that completes the response, which waits for the bill.
 */
export class FrameReader implements BodyReader {
  readonly #response: Pick<UpstreamResponse, "cancel">;
  readonly #handler: FrameHandler;
  readonly #limits: StreamLimits;
  readonly #memory: MemoryShare | undefined;
  readonly #splitter: ReturnType<typeof createFrameSplitter>;
  readonly #flow: BodyFlow;
  #isPaused = false;
  /** Waits for the memory budget. */
  #isCounting = false;
  #isOver = false;
  /** Bytes after the frame that completes the response. */
  #after = 0;
  #grace: NodeJS.Timeout | undefined;
  /** Bytes of the memory budget that are used. */
  #counted = 0;

  private constructor(
    response: Pick<UpstreamResponse, "read" | "cancel">,
    handler: FrameHandler,
    memory: MemoryShare | undefined,
    limits: StreamLimits,
  ) {
    this.#response = response;
    this.#handler = handler;
    this.#memory = memory;
    this.#limits = limits;
    this.#splitter = createFrameSplitter(limits.maxChars);
    this.#flow = response.read(this);
  }

  /** Begins to read. The handler is not called before this function has returned. */
  static open(
    response: Pick<UpstreamResponse, "read" | "cancel">,
    handler: FrameHandler,
    memory: MemoryShare | undefined,
    limits: StreamLimits = streamLimits,
  ): FrameReader {
    return new FrameReader(response, handler, memory, limits);
  }

  pause(): void {
    this.#isPaused = true;
    this.#flow.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#grace?.refresh();
    if (!this.#isCounting) this.#flow.resume();
  }

  /** Cancels the request. The handler is not called any more. */
  close(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#response.cancel();
    this.#flow.resume();
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#handler.isComplete()) {
      this.#after += chunk.length;
      if (this.#after > this.#limits.maxChars) return this.#cutOff();
    }
    const frames = this.#framesIn(chunk);
    if (this.#memory !== undefined && this.#mustCount()) void this.#count(this.#memory, frames);
    else this.#pass(frames);
  }

  end(): void {
    if (this.#isOver) return;
    try {
      const frames = this.#splitter.flush();
      if (frames.length > 0) this.#handler.frames(frames);
    } catch (error) {
      return this.fail(error);
    }
    if (!this.#isOver) this.#finish();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#stop();
    this.#handler.fail(error);
  }

  #framesIn(chunk: Buffer): RawFrame[] {
    try {
      return this.#splitter.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameTooLarge)) throw error;
      throw new TransportError("network", error.message, error);
    }
  }

  #pass(frames: readonly RawFrame[]): void {
    if (frames.length === 0) return;
    this.#handler.frames(frames);
    if (this.#isOver || !this.#handler.isComplete()) return;
    if (this.#grace === undefined) this.#grace = setTimeout(() => this.#endGrace(), this.#limits.graceMs);
    else this.#grace.refresh();
  }

  /** A client that has not accepted what arrived is not the upstream's silence. */
  #endGrace(): void {
    if (this.#isPaused) this.#grace?.refresh();
    else this.#cutOff();
  }

  #cutOff(): void {
    this.#response.cancel();
    this.#finish();
  }

  #finish(): void {
    this.#stop();
    this.#flow.resume();
    try {
      this.#handler.end();
    } catch (error) {
      this.#handler.fail(error);
    }
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#grace);
    this.#release();
  }

  /** Characters of the incomplete frame and after the end. */
  #kept(): number {
    return this.#splitter.pending() + this.#after;
  }

  /** Releases the memory of a frame that is complete. Returns whether more memory must be counted. */
  #mustCount(): boolean {
    const kept = this.#kept();
    if (kept > UNCOUNTED_BYTES) return kept * COPIES > this.#counted;
    this.#release();
    return false;
  }

  #release(): void {
    if (this.#counted > 0) this.#memory?.giveBack(this.#counted);
    this.#counted = 0;
  }

  async #count(memory: MemoryShare, frames: readonly RawFrame[]): Promise<void> {
    this.#isCounting = true;
    this.#flow.pause();
    const more = Math.max(this.#kept() * COPIES - this.#counted, this.#counted, FIRST_STEP);
    try {
      await memory.add(more);
      if (this.#isOver) return memory.giveBack(more);
      this.#counted += more;
      this.#pass(frames);
    } catch (error) {
      if (this.#isOver) return;
      this.close();
      return this.#handler.fail(error);
    }
    this.#isCounting = false;
    if (!this.#isPaused) this.#flow.resume();
  }
}
