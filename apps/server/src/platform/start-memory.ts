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
