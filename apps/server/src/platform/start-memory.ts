import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Returns the memory that loading the program took and no longer needs, about 100 MB: reading and compiling the sources
 * fills a heap that V8 would keep for minutes. Pauses the process for some tens of milliseconds, so call it before the
 * server listens.
 */
export function releaseStartMemory(): void {
  setFlagsFromString("--expose-gc");
  // The function exists only in contexts that are made after the flag was set.
  const collect = runInNewContext("gc") as (options: { type: "major"; flavor: "last-resort" }) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", flavor: "last-resort" });
}

/**
 * Buffers of large bodies count in V8's limit of the whole heap, and scavenges free them. Otherwise every 64 MB of new buffers
 * start a collection of the whole heap, whatever its size: that was half of the CPU of a call with a body of 1 MB.
 */
export function countBuffersInHeapLimit(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}
