import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { now } from "#platform/clock.ts";

/**
 * Remembers which channel and key served a session last, so that its next call hits the provider's prompt
 * cache. Nodes share the entries through Redis. Only the first call of a session on a node waits for Redis, and
 * only briefly. The module does not know how a session is identified.
 */
export interface Affinity {
  /** Looks up a session that this node does not know. Never rejects. */
  learn(session: string): Promise<void>;
  find(session: string): Home | undefined;
  keep(session: string, home: Home): void;
}

export interface Home {
  channel: number;
  key: number | undefined;
}

interface AffinityEntry extends Home {
  /** Expiry time, in milliseconds since 1970. */
  until: number;
}

interface AffinityOptions {
  redis: Redis | undefined;
  /** Minutes to keep a session after its last call; 0 turns affinity off. */
  minutes(): number;
}

const MOST_SESSIONS = 50_000;
/** Maximum number of concurrent Redis lookups. */
const MOST_LOOKUPS = 100;
/** A slower lookup is not waited for: another channel serves the call then. */
const LONGEST_LOOKUP_MS = 250;
const MINUTE_MS = 60_000;

export function createAffinity({ redis, minutes }: AffinityOptions): Affinity {
  const sessions = new Map<string, AffinityEntry>();
  let lookups = 0;

  function remember(session: string, home: Home, until: number): void {
    sessions.delete(session);
    sessions.set(session, { ...home, until });
    if (sessions.size <= MOST_SESSIONS) return;
    const [oldest] = sessions.keys();
    if (oldest !== undefined) sessions.delete(oldest);
  }

  async function lookUp(redis: Redis, session: string): Promise<void> {
    lookups += 1;
    try {
      const found = parse(await redis.get(nameOf(session)));
      if (found !== undefined && !sessions.has(session))
        remember(session, found, now() + minutes() * MINUTE_MS);
    } catch {
      // Another channel serves the session then.
    } finally {
      lookups -= 1;
    }
  }

  return {
    async learn(session) {
      if (minutes() === 0 || redis?.status !== "ready" || lookups >= MOST_LOOKUPS) return;
      const known = sessions.get(session);
      if (known !== undefined && known.until > now()) return;
      const looking = lookUp(redis, session);
      await Promise.race([looking, sleep(LONGEST_LOOKUP_MS, undefined, { ref: false })]);
    },
    find(session) {
      if (minutes() === 0) return undefined;
      const found = sessions.get(session);
      if (found !== undefined && found.until > now()) return found;
      sessions.delete(session);
      return undefined;
    },
    keep(session, home) {
      const ttlMs = minutes() * MINUTE_MS;
      if (ttlMs === 0) return;
      const before = sessions.get(session);
      remember(session, home, now() + ttlMs);
      const isFresh = before !== undefined && before.until - now() > ttlMs / 2;
      if (isFresh && before.channel === home.channel && before.key === home.key) return;
      if (redis?.status !== "ready") return;
      redis.set(nameOf(session), `${home.channel}:${home.key ?? ""}`, "PX", ttlMs).catch(() => {});
    },
  };
}

const nameOf = (session: string) => `session:${session}`;

function parse(text: string | null): Home | undefined {
  const [, channel, key] = /^(\d{1,9}):(\d{0,9})$/.exec(text ?? "") ?? [];
  if (channel === undefined) return undefined;
  return { channel: Number(channel), key: key === "" ? undefined : Number(key) };
}
