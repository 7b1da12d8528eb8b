/** Arithmetic of per-minute limits. Pure; `redis-script.ts` implements the same arithmetic in Lua. */
export interface Limit {
  /** Name of the limit, e.g. the requests of an account. */
  key: string;
  /**
   * Request limits below 60 per minute count a window; from 60 on they use a bucket of ten seconds. Token
   * limits use a bucket of one minute.
   */
  kind: "requests" | "tokens";
  perMinute: number;
  /** 1 for requests, else a number of tokens. A cost above the bucket's capacity requires a full bucket. */
  cost: number;
}

/** Result of one limit for one request. */
export interface Take {
  allowed: boolean;
  /** Limit per minute. */
  limit: number;
  remaining: number;
  /** Seconds until the request fits if it was rejected, else until the limit is full again. */
  resetSeconds: number;
}

/** State of one limit: the level of a bucket, or the count of a window. `at` is its time, in milliseconds. */
export interface Level {
  value: number;
  at: number;
}

export const BUCKET_FROM = 60;
export const BURST_SECONDS = 10;
export const WINDOW_MS = 60_000;

export function isCounted({ kind, perMinute }: Limit): boolean {
  return kind === "requests" && perMinute < BUCKET_FROM;
}

/**
 * Returns the key of a limit's state. Counts and levels have different keys: a limit whose rate crosses the
 * threshold starts with a new state.
 */
export function stateOf(limit: Limit): string {
  return `${limit.key}:${isCounted(limit) ? "count" : "level"}`;
}

function capacityOf({ kind, perMinute }: Limit): number {
  return (perMinute / 60) * (kind === "tokens" ? 60 : BURST_SECONDS);
}

/** Returns the state of a limit with nothing left at `at`. */
export function exhaustedLevel(limit: Limit, at: number): Level {
  return { value: isCounted(limit) ? limit.perMinute : 0, at };
}

/**
 * Returns whether the request fits, and the state after it. With `taking` false, the request is not counted.
 */
export function step(
  level: Level | undefined,
  limit: Limit,
  now: number,
  taking = true,
): { level: Level; take: Take } {
  return isCounted(limit) ? count(level, limit, now, taking) : pour(level, limit, now, taking);
}

function count(level: Level | undefined, { perMinute }: Limit, now: number, taking: boolean) {
  const fresh = level === undefined || now - level.at >= WINDOW_MS;
  const at = fresh ? now : level.at;
  const used = fresh ? 0 : level.value;
  const allowed = used < perMinute;
  const value = allowed && taking ? used + 1 : used;
  const resetSeconds = Math.ceil((at + WINDOW_MS - now) / 1_000);
  return {
    level: { value, at },
    take: { allowed, limit: perMinute, remaining: Math.max(0, perMinute - value), resetSeconds },
  };
}

function pour(level: Level | undefined, limit: Limit, now: number, taking: boolean) {
  const perSecond = limit.perMinute / 60;
  const capacity = capacityOf(limit);
  const cost = Math.min(limit.cost, capacity);
  const filled =
    level === undefined ? capacity : Math.min(capacity, level.value + ((now - level.at) / 1_000) * perSecond);
  const allowed = filled >= cost;
  const value = allowed && taking ? filled - cost : filled;
  return {
    level: { value, at: now },
    take: {
      allowed,
      limit: limit.perMinute,
      remaining: Math.max(0, Math.floor(value)),
      resetSeconds: Math.ceil((allowed ? capacity - value : cost - value) / perSecond),
    },
  };
}

/** Returns what was not used: tokens, or a request that was not served. More than the cost becomes a debt. */
export function giveBack(level: Level | undefined, limit: Limit, used: number): Level | undefined {
  if (level === undefined) return level;
  if (isCounted(limit)) return { value: Math.max(0, level.value - limit.cost + used), at: level.at };
  const back = Math.min(limit.cost, capacityOf(limit)) - used;
  return { value: Math.min(capacityOf(limit), level.value + back), at: level.at };
}

/**
 * The part of every limit that belongs to this node when the nodes cannot coordinate. All parts add up to the
 * limit.
 */
export interface Share {
  /** Number of gateway nodes. */
  nodes: number;
  /** Index of this node, from 0. */
  rank: number;
  /** Indexes of other nodes that count together with this one: the workers of one machine. */
  further?: readonly number[];
}

export const wholeShare: Share = { nodes: 1, rank: 0 };

/** Returns a node's part of a limit. The remainder goes to the first nodes, one each, so a part can be 0. */
export function shareOf(limit: number, { nodes, rank, further = [] }: Share): number {
  const whole = Math.floor(limit / nodes);
  return [rank, ...further].reduce((sum, place) => sum + whole + (place < limit % nodes ? 1 : 0), 0);
}
