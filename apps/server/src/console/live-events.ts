import { setTimeout as sleep } from "node:timers/promises";
import type { LiveEvent } from "@gateway/shared/live-event";

/** Interval in which a stream checks for a change. All readers should share the value that it reads. */
const LOOK_MS = 1_000;
const BEAT_MS = 15_000;
/** A stream ends after this time and is opened again, so that no connection lives for ever. */
const LONGEST_STREAM_MS = 300_000;

interface LiveSource<T> {
  read(): Promise<T>;
  /** Equal versions mean the same content. */
  versionOf(value: T): string;
  /** The version that the reader has. */
  seen: string;
  signal: AbortSignal;
}

/** Yields a value whenever its version changes. Ends with an error when it cannot be read. */
export async function* liveEvents<T>(source: LiveSource<T>): AsyncGenerator<LiveEvent<T>> {
  let { seen } = source;
  const began = performance.now();
  let sent = began;
  while (!source.signal.aborted) {
    const value = await source.read();
    const version = source.versionOf(value);
    const now = performance.now();
    if (version !== seen) yield { type: "data", data: value };
    else if (now - sent >= BEAT_MS) yield { type: "beat" };
    if (version !== seen || now - sent >= BEAT_MS) sent = now;
    seen = version;
    if (now - began >= LONGEST_STREAM_MS) break;
    await sleep(LOOK_MS, undefined, { signal: source.signal }).catch(() => {});
  }
  yield { type: "end" };
}
