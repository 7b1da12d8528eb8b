import type { Redis } from "ioredis";
import { BURST_SECONDS, isCounted, type Limit, stateOf, type Take, WINDOW_MS } from "./levels.ts";

/**
 * Limits that all nodes share, based on the clock of Redis. One script takes from all limits of a request or
 * from none, in one round trip. The arithmetic is the same as in `levels.ts`.
 */
const take = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local states, allowed = {}, true
for i, key in ipairs(KEYS) do
  local kind, perMinute, cost = ARGV[i * 3 - 2], tonumber(ARGV[i * 3 - 1]), tonumber(ARGV[i * 3])
  local stored = redis.call('HMGET', key, 'v', 'a')
  local value, at = tonumber(stored[1]), tonumber(stored[2])
  local s = { counted = kind == 'count', perMinute = perMinute, cost = cost }
  -- The clock was set back: what was known then is as of now, or it would hold until the clock is there again.
  s.setBack = at and at > now
  if s.setBack then at = now end
  if s.counted then
    if not value or now - at >= ${WINDOW_MS} then value = 0; at = now end
    s.allowed = value < perMinute
  else
    s.perSecond = perMinute / 60
    s.capacity = s.perSecond * (kind == 'tokens' and 60 or ${BURST_SECONDS})
    s.cost = math.min(cost, s.capacity)
    if value then value = math.min(s.capacity, value + (now - at) / 1000 * s.perSecond) else value = s.capacity end
    at = now
    s.allowed = value >= s.cost
  end
  s.value, s.at = value, at
  if not s.allowed then allowed = false end
  states[i] = s
end
local answer = {}
for i, key in ipairs(KEYS) do
  local s = states[i]
  if allowed then
    if s.counted then s.value = s.value + 1 else s.value = s.value - s.cost end
  end
  if allowed or s.setBack then
    redis.call('HSET', key, 'v', tostring(s.value), 'a', s.at)
    local whole = ${WINDOW_MS}
    if not s.counted then whole = math.ceil((s.capacity - s.value) / s.perSecond * 1000) + 1000 end
    redis.call('PEXPIRE', key, whole)
  end
  local left, reset
  if s.counted then
    left = s.perMinute - s.value
    reset = (s.at + ${WINDOW_MS} - now) / 1000
  else
    left = math.floor(s.value)
    reset = (s.allowed and s.capacity - s.value or s.cost - s.value) / s.perSecond
  end
  answer[#answer + 1] = s.allowed and 1 or 0
  answer[#answer + 1] = math.max(0, left)
  answer[#answer + 1] = math.ceil(reset)
end
return answer
`;

/**
 * Returns tokens or requests to a bucket, or requests to a window. One that no longer exists is full, so what is
 * returned to it is discarded.
 */
const back = `
local stored = redis.call('HMGET', KEYS[1], 'v', 'a')
local value, at = tonumber(stored[1]), tonumber(stored[2])
local perSecond, back, kind = tonumber(ARGV[1]) / 60, tonumber(ARGV[2]), ARGV[3]
if kind == 'count' then
  if value then redis.call('HSET', KEYS[1], 'v', tostring(math.max(0, value - back))) end
  return 1
end
local capacity = perSecond * (kind == 'tokens' and 60 or ${BURST_SECONDS})
if not value then
  if back >= 0 then return 0 end
  local time = redis.call('TIME')
  value, at = capacity, tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
value = math.min(capacity, value + back)
redis.call('HSET', KEYS[1], 'v', tostring(value), 'a', at)
redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - value) / perSecond * 1000) + 1000)
return 1
`;

/** A slice takes at most 1/8 of the rest of a bucket in addition to the requests that wait. */
const SPARE_SHARE = 8;

/**
 * Takes the requested number of requests from all buckets, up to what all of them have, and a few more for
 * the next requests. The rest of an earlier slice is returned first.
 */
const slice = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local needed, spare, back = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local states, least = {}, nil
for i, key in ipairs(KEYS) do
  local perSecond, capacity = tonumber(ARGV[i * 2 + 2]), tonumber(ARGV[i * 2 + 3])
  local stored = redis.call('HMGET', key, 'v', 'a')
  local value, at = tonumber(stored[1]), tonumber(stored[2])
  -- The clock was set back: what was known then is as of now.
  if at and at > now then at = now end
  if value then value = math.min(capacity, value + (now - at) / 1000 * perSecond + back) else value = capacity end
  states[i] = { value = value, perSecond = perSecond, capacity = capacity }
  local whole = math.max(0, math.floor(value))
  if not least or whole < least then least = whole end
end
local taken = math.min(needed, least)
if taken == needed then taken = taken + math.min(spare, math.floor((least - taken) / ${SPARE_SHARE})) end
local answer = { taken }
for i, key in ipairs(KEYS) do
  local s = states[i]
  local value = s.value - taken
  redis.call('HSET', key, 'v', tostring(value), 'a', now)
  redis.call('PEXPIRE', key, math.ceil((s.capacity - value) / s.perSecond * 1000) + 1000)
  answer[#answer + 1] = math.max(0, math.floor(value))
  answer[#answer + 1] = value < 1 and math.ceil((1 - value) / s.perSecond) or 0
end
return answer
`;

interface Commands {
  takeSlice(keys: number, ...values: (string | number)[]): Promise<number[]>;
  takeLimits(keys: number, ...values: (string | number)[]): Promise<number[]>;
  giveBackTokens(keys: number, ...values: (string | number)[]): Promise<number>;
}

export interface SharedSlices {
  /** Takes requests from the buckets of one owner. Rejects when Redis is unavailable. */
  takeSlice(owner: string, limits: readonly Limit[], wanted: SliceWish): Promise<SliceTaken>;
}

export interface SliceWish {
  /** Number of requests that wait now. */
  needed: number;
  /** Number of further requests expected soon. */
  spare: number;
  /** Unused requests of an earlier slice. */
  back: number;
  /** Capacity of each bucket. */
  capacities: readonly number[];
}

export interface SliceTaken {
  /** Number of requests taken. If it is less than needed, the others are rejected. */
  taken: number;
  /** Whole requests left in each bucket. */
  levels: number[];
  /** Seconds until one request fits, per bucket; 0 if one fits now. */
  waits: number[];
}

export interface SharedLimits extends SharedSlices {
  /** Returns one result per limit, in order. Rejects when Redis is unavailable. */
  take(owner: string, limits: readonly Limit[]): Promise<Take[]>;
  giveBack(owner: string, limit: Limit, used: number): Promise<void>;
}

export function openSharedLimits(redis: Redis): SharedLimits {
  redis.defineCommand("takeLimits", { lua: take });
  redis.defineCommand("giveBackTokens", { lua: back });
  redis.defineCommand("takeSlice", { lua: slice });
  // `defineCommand` added these methods, which the type does not include.
  const commands = redis as Redis & Commands;
  // The hash tag keeps the limits of one owner on one node of a Redis cluster.
  const keyOf = (owner: string, limit: Limit) => `limit:{${owner}}:${stateOf(limit)}`;
  return {
    async take(owner, limits) {
      const keys = limits.map((limit) => keyOf(owner, limit));
      const values = limits.flatMap((limit) => [
        isCounted(limit) ? "count" : limit.kind,
        limit.perMinute,
        limit.cost,
      ]);
      const answer = await commands.takeLimits(keys.length, ...keys, ...values);
      return limits.map(({ perMinute }, index) => ({
        allowed: answer[index * 3] === 1,
        limit: perMinute,
        remaining: answer[index * 3 + 1] ?? 0,
        resetSeconds: answer[index * 3 + 2] ?? 0,
      }));
    },
    async takeSlice(owner, limits, { needed, spare, back: unused, capacities }) {
      const keys = limits.map((limit) => keyOf(owner, limit));
      const buckets = limits.flatMap(({ perMinute }, index) => [perMinute / 60, capacities[index] ?? 0]);
      const [taken = 0, ...left] = await commands.takeSlice(
        keys.length,
        ...keys,
        needed,
        spare,
        unused,
        ...buckets,
      );
      return {
        taken,
        levels: limits.map((_, index) => left[index * 2] ?? 0),
        waits: limits.map((_, index) => left[index * 2 + 1] ?? 0),
      };
    },
    async giveBack(owner, limit, used) {
      const difference = Math.min(limit.cost, limit.perMinute) - used;
      if (difference === 0) return;
      const kind = isCounted(limit) ? "count" : limit.kind;
      await commands.giveBackTokens(1, keyOf(owner, limit), limit.perMinute, difference, kind);
    },
  };
}
