import type { Redis } from "ioredis";
import { z } from "zod";
import { createSessionStore, type SessionStore } from "./session-store.ts";

/** What is known of a session from its earlier calls. */
export interface KnownPrompt {
  /** Checksums of the last call, of the fixed pieces and of the newest others. */
  readonly fixed: readonly number[];
  readonly newest: readonly number[];
  /** Number of pieces of the last call. */
  readonly length: number;
  /** Pieces up to the last mark of that call, or up to where it would have been; 0 = none. */
  readonly marked: number;
  /** Pieces that the last two calls had in common, and pieces of the earlier one that came after. */
  readonly common?: number | undefined;
  readonly tail?: number | undefined;
  /** Writes in a row that no later call read. */
  readonly wasted: number;
  /** Where the call was sent: another account has another cache. */
  readonly target: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What is known of the prompts of each session, for the marks of its next call. Checksums and numbers only. */
export type KnownPrompts = SessionStore<KnownPrompt>;

/** About 30 MB at most. */
const MOST_SESSIONS = 10_000;
const TTL_MS = 60 * 60_000;

const stored: z.ZodType<KnownPrompt> = z.object({
  fixed: z.array(z.int()),
  newest: z.array(z.int()),
  length: z.int(),
  marked: z.int(),
  common: z.int().optional(),
  tail: z.int().optional(),
  wasted: z.int(),
  target: z.string(),
  at: z.int(),
});

export function createKnownPrompts(redis: Redis | undefined): KnownPrompts {
  return createSessionStore<KnownPrompt>({
    redis,
    prefix: "prompt:",
    most: MOST_SESSIONS,
    ttlMs: () => TTL_MS,
    format: (known) => JSON.stringify(known),
    parse(text) {
      try {
        return stored.safeParse(JSON.parse(text)).data;
      } catch {
        // Written by another version.
        return undefined;
      }
    },
  });
}
