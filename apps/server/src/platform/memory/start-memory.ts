import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Releases the memory that loading the program used and no longer needs, about 100 MB. Reading and compiling
 * the sources fills a heap that V8 would keep for minutes. The code of functions that are not running is
 * released too; most ran only during the start, the others are compiled again in microseconds. Pauses the
 * process for some tens of milliseconds, so call it before the server listens.
 */
export function releaseStartMemory(): void {
  setFlagsFromString("--stress-flush-code");
  setFlagsFromString("--expose-gc");
  // The function exists only in contexts created after the flag was set.
  const collect = runInNewContext("gc") as (options: { type: "major"; flavor: "last-resort" }) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", flavor: "last-resort" });
  setFlagsFromString("--no-stress-flush-code");
}

/**
 * Keeps the heap small at the price of more collections: for programs that pass many rows through, whose garbage V8
 * would otherwise collect only when the heap is several times the size of what is in use.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--optimize-for-size");
}

/**
 * Counts buffers of large bodies in V8's limit of the whole heap, so that scavenges free them. Otherwise
 * every 64 MB of new buffers start a full collection, whatever the size of the heap. That was half of the CPU
 * time of a call with a body of 1 MB.
 */
export function countBuffersInHeapLimit(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}
