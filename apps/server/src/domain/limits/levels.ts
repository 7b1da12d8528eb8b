/** The arithmetic of limits per minute. Pure; `redis-script.ts` says the same in Lua. */
export interface Limit {
  /** What is limited, e.g. an account's requests. */
  key: string;
  /** Requests below 60 a minute are counted; from 60 on a bucket of ten seconds refills. Tokens: a bucket of a minute. */
  kind: "requests" | "tokens";
  perMinute: number;
  /** 1 request, or so many tokens. More tokens than the bucket holds need a full one. */
  cost: number;
}

/** What a limit says to one request. */
export interface Take {
  allowed: boolean;
  /** Per minute. */
  limit: number;
  remaining: number;
  /** Seconds until the request fits (when refused), or until the limit is whole again. */
  resetSeconds: number;
}

/** State of one limit: a bucket's level, or a window's count. `at` is when it was true, in milliseconds. */
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

/** A count and a level are different numbers: a limit whose rate crosses the line starts afresh. */
export function stateOf(limit: Limit): string {
  return `${limit.key}:${isCounted(limit) ? "count" : "level"}`;
}

function capacityOf({ kind, perMinute }: Limit): number {
  return (perMinute / 60) * (kind === "tokens" ? 60 : BURST_SECONDS);
}

/** The state of a limit of which nothing is left at `at`. */
export function exhausted(limit: Limit, at: number): Level {
  return { value: isCounted(limit) ? limit.perMinute : 0, at };
}

/** Whether the request fits, and what is left. `taking` false only looks. */
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

/** What was taken beyond the use goes back; what was used beyond it is owed. */
export function giveBack(level: Level | undefined, limit: Limit, used: number): Level | undefined {
  const back = Math.min(limit.cost, capacityOf(limit)) - used;
  if (level === undefined || isCounted(limit)) return level;
  return { value: Math.min(capacityOf(limit), level.value + back), at: level.at };
}
