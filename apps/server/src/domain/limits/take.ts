import type { Redis } from "ioredis";
import {
  exhausted,
  giveBack,
  type Level,
  type Limit,
  stateOf,
  step,
  type Take,
  WINDOW_MS,
} from "./levels.ts";
import { wholeShare, type Share, shareOf } from "./node-count.ts";
import { openSharedLimits } from "./redis-script.ts";
import { createSlices, mayBeSliced } from "./slices.ts";

/**
 * How often someone may ask. All limits of a request are taken together or none is. It must not know what the limits
 * are for.
 */
export interface Limiter {
  /** @param owner whose limits these are: they are kept together. Throws nothing. */
  take(owner: string, limits: readonly Limit[]): Promise<Taken> | Taken;
  /** What a request really used of a limit of tokens. The difference comes into force soon after. */
  giveBack(owner: string, limit: Limit, used: number): void;
}

export interface Taken {
  allowed: boolean;
  /** One per limit, in order. */
  takes: Take[];
  /** The owner's first refusal in this second: a flood of them must not become a flood of log rows. */
  worthNoting: boolean;
}

export interface LimiterOptions {
  /** Shared by all nodes. Without it each node takes its share of every limit. */
  redis?: Redis | undefined;
  /** What of a limit is this node's without Redis, and while Redis is away. */
  share?: () => Share;
  now?: () => number;
}

const MAX_KEYS = 100_000;
/** Seconds: nodes are counted anew in the meantime. */
const NO_SHARE_RETRY = 10;

export function createLimiter(options: LimiterOptions = {}): Limiter {
  // A clock that no one sets: an hour back would be an hour without an answer.
  const { share = () => wholeShare, now = () => performance.now() } = options;
  const levels = new Map<string, Level>();
  const noted = new Map<string, number>();
  const shared = options.redis === undefined ? undefined : openSharedLimits(options.redis);
  /** When Redis last answered. What was taken until then is unknown here. */
  let receivedAt: number | undefined;
  let away = true;

  function remember<T>(map: Map<string, T>, key: string, value: T): void {
    if (map.size >= MAX_KEYS && !map.has(key)) {
      const oldest = map.keys().next();
      if (!oldest.done) map.delete(oldest.value);
    }
    map.set(key, value);
  }

  /** In the first minute without Redis nothing is assumed to be left: all nodes together stay within the limit. */
  function levelOf(owner: string, limit: Limit): Level | undefined {
    const known = levels.get(`${owner}:${stateOf(limit)}`);
    if (known !== undefined || receivedAt === undefined || now() - receivedAt >= WINDOW_MS) return known;
    return exhausted(limit, receivedAt);
  }

  function takeHere(owner: string, limits: readonly Limit[]): Take[] {
    const seen = limits.map((limit) => step(levelOf(owner, limit), limit, now(), false));
    if (seen.some(({ take }) => !take.allowed)) return seen.map(({ take }) => take);
    return limits.map((limit) => {
      const { level, take } = step(levelOf(owner, limit), limit, now());
      remember(levels, `${owner}:${stateOf(limit)}`, level);
      return take;
    });
  }

  function takeShare(owner: string, limits: readonly Limit[]): Take[] {
    const shares = limits.map((limit) => ({ ...limit, perMinute: shareOf(limit.perMinute, share()) }));
    if (shares.some(({ perMinute }) => perMinute === 0))
      return shares.map(({ perMinute }, index) => ({
        allowed: perMinute > 0,
        limit: limits[index]?.perMinute ?? 0,
        remaining: 0,
        resetSeconds: NO_SHARE_RETRY,
      }));
    return takeHere(owner, shares).map((take, index) => ({ ...take, limit: limits[index]?.perMinute ?? 0 }));
  }

  function judge(owner: string, takes: Take[]): Taken {
    const allowed = takes.every((take) => take.allowed);
    if (allowed) return { allowed, takes, worthNoting: false };
    const second = Math.floor(now() / 1_000);
    const worthNoting = noted.get(owner) !== second;
    if (worthNoting) remember(noted, owner, second);
    return { allowed, takes, worthNoting };
  }

  if (shared === undefined)
    return {
      take: (owner, limits) => judge(owner, takeShare(owner, limits)),
      giveBack(owner, limit, used) {
        const own = { ...limit, perMinute: shareOf(limit.perMinute, share()) };
        const level = giveBack(levels.get(`${owner}:${stateOf(own)}`), own, used);
        if (level !== undefined) levels.set(`${owner}:${stateOf(own)}`, level);
      },
    };
  const slices = createSlices(shared, now);

  async function answered(
    owner: string,
    limits: readonly Limit[],
    requested: Promise<Take[]>,
  ): Promise<Taken> {
    try {
      const takes = await requested;
      if (away) levels.clear();
      away = false;
      receivedAt = now();
      return judge(owner, takes);
    } catch {
      away = true;
      return judge(owner, takeShare(owner, limits));
    }
  }

  return {
    take(owner, limits) {
      const takes = mayBeSliced(limits) ? slices.take(owner, limits) : shared.take(owner, limits);
      return takes instanceof Promise ? answered(owner, limits, takes) : judge(owner, takes);
    },
    giveBack(owner, limit, used) {
      // Away or just lost: then what was taken stays taken, which is the tighter side.
      shared.giveBack(owner, limit, used).catch(() => {});
    },
  };
}
