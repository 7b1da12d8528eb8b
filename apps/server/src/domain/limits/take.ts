import type { Redis } from "ioredis";
import {
  exhaustedLevel,
  giveBack,
  type Level,
  type Limit,
  type Share,
  shareOf,
  stateOf,
  step,
  type Take,
  wholeShare,
  WINDOW_MS,
} from "./levels.ts";
import { openSharedLimits } from "./redis-script.ts";
import { createSlices, mayBeSliced } from "./slices.ts";

/**
 * Rate limiter. All limits of a request are taken together, or none is. The module does not know what the
 * limits are for.
 */
export interface Limiter {
  /**
   * Takes one request. Never throws or rejects.
   * @param owner owner of the limits, whose state is kept together
   */
  take(owner: string, limits: readonly Limit[]): Promise<RateDecision>;
  /** Reports how much of a token limit a request really used. The difference is applied soon after. */
  giveBack(owner: string, limit: Limit, used: number): void;
}

export interface RateDecision {
  allowed: boolean;
  /** One result per limit, in order. */
  takes: Take[];
  /**
   * Whether this is the owner's first rejection in this second: many rejections must not cause as many log
   * rows.
   */
  worthNoting: boolean;
}

export interface LimiterOptions {
  /** Redis shared by all nodes. Without it, each node takes its share of every limit. */
  redis?: Redis | undefined;
  /** Share of this node without Redis, or while Redis is unavailable. */
  share?: () => Share;
  now?: () => number;
}

const MAX_KEYS = 100_000;
/** Retry time in seconds for a node whose share is 0. Nodes are counted again in the meantime. */
const NO_SHARE_RETRY = 10;

/** Keys of states, by limit: the limits of an account or token are the same objects for all its calls. */
const keys = new WeakMap<Limit, { owner: string; key: string }>();

function knownKeyOf(owner: string, limit: Limit): string {
  const known = keys.get(limit);
  if (known?.owner === owner) return known.key;
  const key = keyOf(owner, limit);
  keys.set(limit, { owner, key });
  return key;
}

function keyOf(owner: string, limit: Limit): string {
  return `${owner}:${stateOf(limit)}`;
}

export function createLimiter(options: LimiterOptions = {}): Limiter {
  // A monotonic clock: if a wall clock were set back by an hour, limits would block for an hour.
  const { share = () => wholeShare, now = () => performance.now() } = options;
  const levels = new Map<string, Level>();
  const noted = new Map<string, number>();
  const shared = options.redis === undefined ? undefined : openSharedLimits(options.redis);
  /** Time of the last response of Redis. What was taken until then is unknown here. */
  let receivedAt: number | undefined;
  let away = true;

  function remember<T>(map: Map<string, T>, key: string, value: T): void {
    if (map.size >= MAX_KEYS && !map.has(key)) {
      const oldest = map.keys().next();
      if (!oldest.done) map.delete(oldest.value);
    }
    map.set(key, value);
  }

  /**
   * Returns the local state of a limit. In the first minute without Redis, an unknown limit counts as
   * exhausted, so that all nodes together stay within it.
   */
  function levelOf(key: string, limit: Limit): Level | undefined {
    const known = levels.get(key);
    if (known !== undefined || receivedAt === undefined || now() - receivedAt >= WINDOW_MS) return known;
    return exhaustedLevel(limit, receivedAt);
  }

  function takeHere(owner: string, limits: readonly Limit[]): Take[] {
    const seen = limits.map((limit) => step(levelOf(keyOf(owner, limit), limit), limit, now(), false));
    if (seen.some(({ take }) => !take.allowed)) return seen.map(({ take }) => take);
    return limits.map((limit) => {
      const { level, take } = step(levelOf(keyOf(owner, limit), limit), limit, now());
      remember(levels, keyOf(owner, limit), level);
      return take;
    });
  }

  /** Takes a limit that is the only one of its request. */
  function takeOne(limit: Limit, key: string): Take {
    const { level, take } = step(levelOf(key, limit), limit, now());
    if (take.allowed) remember(levels, key, level);
    return take;
  }

  function takeShare(owner: string, limits: readonly Limit[]): Take[] {
    const mine = share();
    const [only] = limits;
    const isWhole = only !== undefined && only.perMinute > 0 && Number.isInteger(only.perMinute);
    if (isWhole && limits.length === 1 && mine.nodes === 1) return [takeOne(only, knownKeyOf(owner, only))];
    const shares = limits.map((limit) => ({ ...limit, perMinute: shareOf(limit.perMinute, mine) }));
    if (shares.some(({ perMinute }) => perMinute === 0))
      return shares.map(({ perMinute }, index) => ({
        allowed: perMinute > 0,
        limit: limits[index]?.perMinute ?? 0,
        remaining: 0,
        resetSeconds: NO_SHARE_RETRY,
      }));
    return takeHere(owner, shares).map((take, index) => ({ ...take, limit: limits[index]?.perMinute ?? 0 }));
  }

  function decide(owner: string, takes: Take[]): RateDecision {
    const allowed = takes.every((take) => take.allowed);
    if (allowed) return { allowed, takes, worthNoting: false };
    const second = Math.floor(now() / 1_000);
    const worthNoting = noted.get(owner) !== second;
    if (worthNoting) remember(noted, owner, second);
    return { allowed, takes, worthNoting };
  }

  if (shared === undefined)
    return {
      take: async (owner, limits) => decide(owner, takeShare(owner, limits)),
      giveBack(owner, limit, used) {
        const own = { ...limit, perMinute: shareOf(limit.perMinute, share()) };
        const level = giveBack(levels.get(keyOf(owner, own)), own, used);
        if (level !== undefined) levels.set(keyOf(owner, own), level);
      },
    };
  const slices = createSlices(shared, now);

  return {
    async take(owner, limits) {
      const isSliced = mayBeSliced(limits);
      const left = isSliced ? slices.takeLeft(owner, limits) : undefined;
      if (left !== undefined) return decide(owner, left);
      try {
        const takes = await (isSliced ? slices.take(owner, limits) : shared.take(owner, limits));
        if (away) levels.clear();
        away = false;
        receivedAt = now();
        return decide(owner, takes);
      } catch {
        away = true;
        return decide(owner, takeShare(owner, limits));
      }
    },
    giveBack(owner, limit, used) {
      // If Redis is unavailable, the tokens stay taken, which is the stricter outcome.
      shared.giveBack(owner, limit, used).catch(() => {});
    },
  };
}
