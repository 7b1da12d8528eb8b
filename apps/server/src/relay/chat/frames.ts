import { createFrameSplitter, FrameTooLarge, type RawFrame } from "#dialects/sse.ts";
import { now } from "#platform/clock.ts";
import { TransportError, type UpstreamResponse } from "#platform/http.ts";

/** The frames of an upstream's stream as they come, and the patience and memory that one may cost. */
export interface StreamLimits {
  /** Of one frame, and of all that comes after the frame that completes the answer. */
  maxChars: number;
  /** Milliseconds without a frame, once the answer is complete, until the connection is given up. */
  graceMs: number;
}

/** Old models of one dialect say "finished" in every chunk: the grace is longer than any pause between two. */
export const streamLimits: StreamLimits = { maxChars: 32 * 1024 * 1024, graceMs: 20_000 };

/**
 * One list per chunk, empty ones left out. An upstream that goes on after its answer is complete is cut off, and that
 * is no error. Throws TransportError.
 */
export async function* readFrames(
  response: Pick<UpstreamResponse, "chunks" | "cancel">,
  isComplete: () => boolean,
  limits = streamLimits,
): AsyncGenerator<RawFrame[], void, undefined> {
  const splitter = createFrameSplitter(limits.maxChars);
  const chunks = response.chunks();
  let after = 0;
  let lastFrameAt = now();
  const read = (take: () => RawFrame[]): RawFrame[] => {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof FrameTooLarge)) throw error;
      throw new TransportError("network", error.message, error);
    }
  };
  try {
    while (true) {
      const next = isComplete()
        ? await inTime(chunks.next(), lastFrameAt + limits.graceMs - now())
        : await chunks.next();
      if (next === "late") {
        response.cancel();
        return;
      }
      if (next.done) break;
      if (isComplete()) after += next.value.length;
      if (after > limits.maxChars) return;
      const frames = read(() => splitter.push(next.value));
      if (frames.length === 0) continue;
      lastFrameAt = now();
      yield frames;
    }
    const rest = read(() => splitter.flush());
    if (rest.length > 0) yield rest;
  } finally {
    await chunks.return();
  }
}

async function inTime<T>(promise: Promise<T>, ms: number): Promise<T | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
