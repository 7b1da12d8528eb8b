import type { Redis } from "ioredis";
import { wholeShare, type Share, shareOf } from "./levels.ts";

/** Request counts per time window, kept in Redis for all nodes. Without Redis, each node allows its share. */
export interface RequestCounts {
  /** Counts one request. Never rejects. */
  add(key: string, limit: { max: number; windowMs: number }): Promise<RequestCount>;
}

export interface RequestCount {
  /**
   * Number of requests in the window. A value above the limit's `max` means that this request exceeds the
   * limit.
   */
  current: number;
  /** Milliseconds until the window ends. */
  ttl: number;
}

interface Window {
  /** Requests of all nodes at the last response of Redis. */
  shared: number;
  /** Requests of this node that Redis does not know. */
  own: number;
  endsAt: number;
}

const MAX_WINDOWS = 50_000;

const add = `
local current = redis.call('INCR', KEYS[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  ttl = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ttl)
end
return { current, ttl }
`;

interface Commands {
  addRequest(keys: number, ...values: (string | number)[]): Promise<[current: number, ttl: number]>;
}

export function createRequestCounts({
  redis,
  share = () => wholeShare,
  now = () => performance.now(),
}: {
  redis?: Redis | undefined;
  share?: () => Share;
  now?: () => number;
} = {}): RequestCounts {
  redis?.defineCommand("addRequest", { lua: add });
  // `defineCommand` added this method, which the type does not include.
  const commands = redis as (Redis & Commands) | undefined;
  const windows = new Map<string, Window>();

  function openWindow(key: string): Window | undefined {
    const window = windows.get(key);
    return window === undefined || window.endsAt <= now() ? undefined : window;
  }

  function keep(key: string, window: Window): void {
    // Reinsert at the end: the first entries of the map are the least recently used.
    windows.delete(key);
    windows.set(key, window);
    if (windows.size <= MAX_WINDOWS) return;
    const oldest = windows.keys().next();
    if (!oldest.done) windows.delete(oldest.value);
  }

  /** Counts without Redis. The last count of Redis stays used; the rest is divided among the nodes. */
  function addHere(key: string, max: number, windowMs: number): RequestCount {
    const known = openWindow(key) ?? { shared: 0, own: 0, endsAt: now() + windowMs };
    const window = { ...known, own: known.own + 1 };
    keep(key, window);
    const allowed = shareOf(Math.max(0, max - window.shared), share());
    const current = window.own > allowed ? max + 1 : max - allowed + window.own;
    return { current, ttl: window.endsAt - now() };
  }

  return {
    async add(key, { max, windowMs }) {
      if (commands === undefined) return addHere(key, max, windowMs);
      try {
        const [current, ttl] = await commands.addRequest(1, `requests:${key}`, windowMs);
        const own = openWindow(key)?.own ?? 0;
        keep(key, { shared: current, own, endsAt: now() + ttl });
        return { current: current + own, ttl };
      } catch {
        return addHere(key, max, windowMs);
      }
    },
  };
}
