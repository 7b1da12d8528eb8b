import type { Redis } from "ioredis";
import { wholeShare, type Share, shareOf } from "./node-count.ts";

/** Requests per window of time, counted in Redis for all nodes. Without Redis each node allows its share. */
export interface RequestCounts {
  /** Counts one request. Rejects nothing. */
  add(key: string, limit: { max: number; windowMs: number }): Promise<RequestCount>;
}

export interface RequestCount {
  /** Above the limit's `max`: the request is one too many. */
  current: number;
  /** Milliseconds until the window ends. */
  ttl: number;
}

interface Window {
  /** All nodes' requests, when Redis last answered. */
  shared: number;
  /** This node's requests that Redis does not know. */
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
  // The command above is a method now, which the type cannot know.
  const commands = redis as (Redis & Commands) | undefined;
  const windows = new Map<string, Window>();

  function openWindow(key: string): Window | undefined {
    const window = windows.get(key);
    return window === undefined || window.endsAt <= now() ? undefined : window;
  }

  function keep(key: string, window: Window): void {
    // At the end again: the first entries are those that were not used for the longest time.
    windows.delete(key);
    windows.set(key, window);
    if (windows.size <= MAX_WINDOWS) return;
    const oldest = windows.keys().next();
    if (!oldest.done) windows.delete(oldest.value);
  }

  /** What Redis counted before it went away stays used; the rest is divided among the nodes. */
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
