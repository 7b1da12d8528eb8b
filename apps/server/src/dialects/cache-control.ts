/** Marks of the prompt cache, which Anthropic introduced and clients of chat completions send in the same form. */
import { z } from "zod";
import type { CacheControl } from "./ir.ts";

export const cacheControl = z.looseObject({
  type: z.literal("ephemeral"),
  ttl: z.enum(["5m", "1h"]).nullish(),
});

/** Returns the part or tool with its mark, if it has one. */
export function withCache<P extends object>(
  part: P,
  wire: z.infer<typeof cacheControl> | null | undefined,
): P & { cache?: CacheControl } {
  if (!wire) return part;
  return { ...part, cache: wire.ttl ? { ttl: wire.ttl } : {} };
}
