import { createFrameSplitter, FrameTooLarge, type RawFrame } from "#dialects/stream/sse.ts";
import { now } from "#platform/clock.ts";
import { generatorOf } from "#platform/generator-of.ts";
import { type UpstreamResponse } from "#platform/http/http.ts";
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
export const streamLimits: StreamLimits = { maxChars: 32 * 1024 * 1024, graceMs: 20_000 };

/**
 * Yields the frames in batches as they arrive, without empty batches. An upstream that continues after its
 * response is complete is cut off without an error. Throws TransportError, and `overloaded` when a long frame
 * does not fit the memory budget.
 */
export function readFrames(
  response: Pick<UpstreamResponse, "chunks" | "cancel">,
  isComplete: () => boolean,
  limits = streamLimits,
  memory?: MemoryShare,
): AsyncGenerator<RawFrame[], void, undefined> {
  const splitter = createFrameSplitter(limits.maxChars);
  const chunks = response.chunks();
  let after = 0;
  let lastFrameAt = now();
  let isEnded = false;
  const frameMemory = memory === undefined ? undefined : allocateFrame(memory);

  async function next(): Promise<RawFrame[] | undefined> {
    while (!isEnded) {
      const complete = isComplete();
      const next = complete
        ? await inTime(chunks.next(), lastFrameAt + limits.graceMs - now())
        : await chunks.next();
      if (next === "late") {
        response.cancel();
        return undefined;
      }
      let frames: RawFrame[];
      if (next.done) {
        isEnded = true;
        frames = read(() => splitter.flush());
      } else {
        if (complete) after += next.value.length;
        if (after > limits.maxChars) return undefined;
        frames = read(() => splitter.push(next.value));
      }
      await frameMemory?.allocate(splitter.pending());
      if (frames.length === 0) continue;
      lastFrameAt = now();
      return frames;
    }
    return undefined;
  }

  return generatorOf(next, async () => {
    frameMemory?.free();
    await chunks.return();
  });
}

/** Copies in memory: the incomplete frame, and its form for the client. */
const COPIES = 2;
const FIRST_STEP = 1024 * 1024;

/** Counts a long frame in the memory budget while it arrives. `allocate` throws `overloaded`. */
function allocateFrame(memory: MemoryShare): {
  allocate(chars: number): Promise<void>;
  free(): void;
} {
  let counted = 0;
  function free(): void {
    if (counted > 0) memory.giveBack(counted);
    counted = 0;
  }
  return {
    free,
    async allocate(chars) {
      if (chars <= UNCOUNTED_BYTES) return free();
      if (chars * COPIES <= counted) return;
      const more = Math.max(chars * COPIES - counted, counted, FIRST_STEP);
      await memory.add(more);
      counted += more;
    },
  };
}

function read(take: () => RawFrame[]): RawFrame[] {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof FrameTooLarge)) throw error;
    throw new TransportError("network", error.message, error);
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
