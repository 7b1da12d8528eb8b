import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { now } from "#platform/clock.ts";

/**
 * Remembers a value for each session. Nodes share the values through Redis. Only the first call of a session on a node
 * waits for Redis, and only briefly. The module does not know how a session is identified.
 */
export interface SessionStore<Value> {
  /** Looks up a session that this node does not know. Never rejects. */
  learn(session: string): Promise<void>;
  find(session: string): Value | undefined;
  keep(session: string, value: Value): void;
}

interface SessionStoreOptions<Value> {
  redis: Redis | undefined;
  /** Prefix of the keys in Redis. */
  prefix: string;
  /** Maximum number of sessions in memory. */
  most: number;
  /** How long a session is kept after its last call, in milliseconds; 0 turns the store off. */
  ttlMs(): number;
  format(value: Value): string;
  /** Returns undefined for a text in another format. */
  parse(text: string): Value | undefined;
  /** Whether the new value need not be written to Redis while the old one is fresh. Default: never. */
  isSame?(before: Value, after: Value): boolean;
}

interface Entry<Value> {
  readonly value: Value;
  /** Expiry time, in milliseconds since 1970. */
  readonly until: number;
}

/** Maximum number of concurrent Redis lookups. */
const MOST_LOOKUPS = 100;
/** A slower lookup is not waited for: the session is unknown then. */
const LONGEST_LOOKUP_MS = 250;

export function createSessionStore<Value>(options: SessionStoreOptions<Value>): SessionStore<Value> {
  const { redis, prefix, most, ttlMs } = options;
  const sessions = new Map<string, Entry<Value>>();
  let lookups = 0;

  function remember(session: string, value: Value, until: number): void {
    sessions.delete(session);
    sessions.set(session, { value, until });
    if (sessions.size <= most) return;
    const [oldest] = sessions.keys();
    if (oldest !== undefined) sessions.delete(oldest);
  }

  async function lookUp(connection: Redis, session: string): Promise<void> {
    lookups += 1;
    try {
      const text = await connection.get(prefix + session);
      const found = text === null ? undefined : options.parse(text);
      if (found !== undefined && !sessions.has(session)) remember(session, found, now() + ttlMs());
    } catch {
      // The session is unknown then.
    } finally {
      lookups -= 1;
    }
  }

  return {
    async learn(session) {
      if (ttlMs() === 0 || redis?.status !== "ready" || lookups >= MOST_LOOKUPS) return;
      const known = sessions.get(session);
      if (known !== undefined && known.until > now()) return;
      const looking = lookUp(redis, session);
      await Promise.race([looking, sleep(LONGEST_LOOKUP_MS, undefined, { ref: false })]);
    },
    find(session) {
      if (ttlMs() === 0) return undefined;
      const found = sessions.get(session);
      if (found !== undefined && found.until > now()) return found.value;
      sessions.delete(session);
      return undefined;
    },
    keep(session, value) {
      const ttl = ttlMs();
      if (ttl === 0) return;
      const before = sessions.get(session);
      remember(session, value, now() + ttl);
      const isFresh = before !== undefined && before.until - now() > ttl / 2;
      if (isFresh && options.isSame?.(before.value, value) === true) return;
      if (redis?.status !== "ready") return;
      redis.set(prefix + session, options.format(value), "PX", ttl).catch(() => {});
    },
  };
}
