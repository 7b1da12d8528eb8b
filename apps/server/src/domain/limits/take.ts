import type { Redis } from "ioredis";

/** What a limit says to one request. */
export interface Take {
  allowed: boolean;
  /** Requests per minute. */
  limit: number;
  remaining: number;
  /** Seconds until a request fits again (when refused), or until the limit is whole again. */
  resetSeconds: number;
}

export interface Limiter {
  /** Takes one request of `perMinute`. Below 60 a minute is counted; from 60 on a bucket refills continuously. */
  take(key: string, perMinute: number): Promise<Take> | Take;
}

/** Below this, requests of a minute are counted; from here on they flow through a bucket. */
const BUCKET_FROM = 60;
const BURST_SECONDS = 10;
const WINDOW_MS = 60_000;

/** State of one key: a bucket's level, or a window's count. `at` is when it was true, in milliseconds. */
interface Level {
  value: number;
  at: number;
}

/** Pure: one step of the limit, the same arithmetic as the script below. */
export function step(level: Level | undefined, perMinute: number, now: number): { level: Level; take: Take } {
  if (perMinute < BUCKET_FROM) {
    const fresh = level === undefined || now - level.at >= WINDOW_MS;
    const start = fresh ? now : level.at;
    const used = fresh ? 0 : level.value;
    const allowed = used < perMinute;
    const count = allowed ? used + 1 : used;
    return {
      level: { value: count, at: start },
      take: {
        allowed,
        limit: perMinute,
        remaining: Math.max(0, perMinute - count),
        resetSeconds: Math.ceil((start + WINDOW_MS - now) / 1_000),
      },
    };
  }
  const perSecond = perMinute / 60;
  const capacity = perSecond * BURST_SECONDS;
  const refilled =
    level === undefined ? capacity : Math.min(capacity, level.value + ((now - level.at) / 1_000) * perSecond);
  const allowed = refilled >= 1;
  const value = allowed ? refilled - 1 : refilled;
  return {
    level: { value, at: now },
    take: {
      allowed,
      limit: perMinute,
      remaining: Math.floor(value),
      resetSeconds: Math.ceil((allowed ? capacity - value : 1 - value) / perSecond),
    },
  };
}

const SCRIPT = `
local perMinute = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local value = tonumber(redis.call('HGET', KEYS[1], 'v'))
local at = tonumber(redis.call('HGET', KEYS[1], 'a'))
if perMinute < ${BUCKET_FROM} then
  if not value or now - at >= ${WINDOW_MS} then value = 0; at = now end
  local allowed = 0
  if value < perMinute then allowed = 1; value = value + 1 end
  redis.call('HSET', KEYS[1], 'v', value, 'a', at)
  redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
  return { allowed, math.max(0, perMinute - value), math.ceil((at + ${WINDOW_MS} - now) / 1000) }
end
local perSecond = perMinute / 60
local capacity = perSecond * ${BURST_SECONDS}
if value then value = math.min(capacity, value + (now - at) / 1000 * perSecond) else value = capacity end
local allowed = 0
local missing = 1 - value
if value >= 1 then allowed = 1; value = value - 1; missing = capacity - value end
redis.call('HSET', KEYS[1], 'v', tostring(value), 'a', now)
redis.call('PEXPIRE', KEYS[1], ${2 * BURST_SECONDS * 1_000})
return { allowed, math.floor(value), math.ceil(missing / perSecond) }
`;

/** A count and a level are different numbers: a group whose rate crosses the line starts afresh. */
function stateOf(key: string, perMinute: number): string {
  return `${key}:${perMinute < BUCKET_FROM ? "count" : "level"}`;
}

const MAX_KEYS = 100_000;

export interface LimiterOptions {
  /** Shared by all nodes; absent on a single node. */
  redis?: Redis;
  /** How many nodes share the limit when Redis is away: each then allows its part, never more. */
  nodes?: () => number;
  now?: () => number;
}

export function createLimiter(options: LimiterOptions = {}): Limiter {
  const now = options.now ?? Date.now;
  const levels = new Map<string, Level>();

  function takeHere(key: string, perMinute: number): Take {
    const { level, take } = step(levels.get(key), perMinute, now());
    if (levels.size >= MAX_KEYS && !levels.has(key)) {
      const oldest = levels.keys().next();
      if (!oldest.done) levels.delete(oldest.value);
    }
    levels.set(key, level);
    return take;
  }

  const { redis } = options;
  if (redis === undefined) return { take: (key, perMinute) => takeHere(stateOf(key, perMinute), perMinute) };
  return {
    async take(key, perMinute) {
      const state = stateOf(key, perMinute);
      try {
        const answer = (await redis.eval(SCRIPT, 1, `limit:{${state}}`, perMinute)) as [
          number,
          number,
          number,
        ];
        return { allowed: answer[0] === 1, limit: perMinute, remaining: answer[1], resetSeconds: answer[2] };
      } catch {
        // Redis is away: this node's share, so that all nodes together stay within the limit.
        const share = Math.max(1, Math.floor(perMinute / Math.max(1, options.nodes?.() ?? 1)));
        return { ...takeHere(stateOf(key, share), share), limit: perMinute };
      }
    },
  };
}
