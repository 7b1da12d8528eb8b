import type { Redis } from "ioredis";
import { createSessionStore, type SessionStore } from "./session-store.ts";

/**
 * Remembers which channel and key served a session last, so that its next call hits the provider's prompt
 * cache.
 */
export type Affinity = SessionStore<Home>;

export interface Home {
  channel: number;
  key: number | undefined;
}

interface AffinityOptions {
  redis: Redis | undefined;
  /** Minutes to keep a session after its last call; 0 turns affinity off. */
  minutes(): number;
}

const MOST_SESSIONS = 50_000;
const MINUTE_MS = 60_000;

export function createAffinity({ redis, minutes }: AffinityOptions): Affinity {
  return createSessionStore<Home>({
    redis,
    prefix: "session:",
    most: MOST_SESSIONS,
    ttlMs: () => minutes() * MINUTE_MS,
    format: ({ channel, key }) => `${channel}:${key ?? ""}`,
    parse,
    isSame: (before, after) => before.channel === after.channel && before.key === after.key,
  });
}

function parse(text: string): Home | undefined {
  const [, channel, key] = /^(\d{1,9}):(\d{0,9})$/.exec(text) ?? [];
  if (channel === undefined) return undefined;
  return { channel: Number(channel), key: key === "" ? undefined : Number(key) };
}
