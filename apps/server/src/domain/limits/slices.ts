import { BURST_SECONDS, type Limit, type Take } from "./levels.ts";
import type { SharedSlices } from "./redis-script.ts";

/**
 * Requests of large limits without a Redis round trip each. A node takes a slice of the bucket for a short
 * time and counts within it. Slices are taken from the bucket that all nodes share, so the nodes together
 * stay within the limit.
 */
export interface Slices {
  /** Takes one request from what is left of the current slice. Undefined when nothing is left. */
  takeLeft(owner: string, limits: readonly Limit[]): Take[] | undefined;
  /** Takes one request from all limits or from none. Rejects when Redis is unavailable. */
  take(owner: string, limits: readonly Limit[]): Promise<Take[]>;
}

/** Lifetime of a slice, in milliseconds. */
export const SLICE_MS = 50;
/**
 * Minimum limit, in requests per minute, for slices. Smaller limits allow fewer than five requests per slice
 * and stay exact.
 */
export const SLICED_FROM = 6_000;
const MAX_SLICES = 50_000;
/** Minimum elapsed time, in milliseconds, to compute a rate. */
const SHORTEST_MS = 5;

/** Returns whether every limit is a request limit with a large enough bucket. */
export function mayBeSliced(limits: readonly Limit[]): boolean {
  for (const { kind, perMinute } of limits) if (kind !== "requests" || perMinute < SLICED_FROM) return false;
  return limits.length > 0;
}

/**
 * Returns the capacity of a bucket for slices. A bucket refills while slices hold a part of it. The capacity
 * is reduced by that amount, so that a burst never exceeds the limit.
 */
function capacityOf({ perMinute }: Limit): number {
  return (perMinute / 60) * (BURST_SECONDS - SLICE_MS / 1_000);
}

interface Slice {
  owner: string;
  limits: readonly Limit[];
  /** Requests left in the slice. */
  left: number;
  /** Requests counted since the slice was taken. The same number is expected in the next slice. */
  counted: number;
  begun: number;
  /** Levels of the shared buckets when the slice was taken, per limit. */
  levels: readonly number[];
  /** Requests that arrived while Redis is queried. */
  waiting: { resolve(takes: Take[]): void; reject(error: unknown): void }[];
  asking: boolean;
}

export function createSlices(shared: SharedSlices, now: () => number): Slices {
  const slices = new Map<string, Slice>();
  let timer: NodeJS.Timeout | undefined;

  function isCurrent(slice: Slice): boolean {
    return now() - slice.begun < SLICE_MS;
  }

  /** Returns the number of requests expected in the next slice at the current rate. */
  function expectRequests({ begun, counted }: Slice): number {
    const elapsed = now() - begun;
    return elapsed > 2 * SLICE_MS ? 0 : Math.floor((counted * SLICE_MS) / Math.max(elapsed, SHORTEST_MS));
  }

  /** Empties an old slice and returns what was left, which the next query returns to the bucket. */
  function takeUnused(slice: Slice): number {
    const { left } = slice;
    slice.left = 0;
    return left;
  }

  async function ask(slice: Slice): Promise<void> {
    const { owner, limits } = slice;
    slice.asking = true;
    while (slice.waiting.length > 0) {
      const requested = slice.waiting;
      slice.waiting = [];
      const spare = expectRequests(slice);
      try {
        const answer = await shared.takeSlice(owner, limits, {
          needed: requested.length,
          spare,
          back: takeUnused(slice),
          capacities: limits.map(capacityOf),
        });
        slice.left = answer.taken - Math.min(answer.taken, requested.length);
        slice.begun = now();
        slice.counted = requested.length;
        slice.levels = answer.levels;
        for (const [index, { resolve }] of requested.entries())
          resolve(
            index < answer.taken
              ? allowTakes(slice, answer.taken - 1 - index)
              : refuseTakes(slice, answer.waits),
          );
      } catch (error) {
        for (const { reject } of requested) reject(error);
      }
      // Requests that arrived in the meantime use the rest of the slice.
      while (slice.waiting.length > 0 && slice.left > 0) {
        slice.left -= 1;
        slice.counted += 1;
        slice.waiting.shift()?.resolve(allowTakes(slice, slice.left));
      }
    }
    slice.asking = false;
    watch();
  }

  /** Returns and removes the slices of owners that send no more requests. */
  function watch(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const [key, slice] of slices) {
        if (slice.asking || now() - slice.begun < 2 * SLICE_MS) continue;
        slices.delete(key);
        giveBack(slice);
      }
      if (slices.size > 0) watch();
    }, SLICE_MS).unref();
  }

  function giveBack(slice: Slice): void {
    const back = takeUnused(slice);
    if (back === 0) return;
    const capacities = slice.limits.map(capacityOf);
    // If Redis is unavailable, the slice stays taken, which is the stricter outcome.
    shared.takeSlice(slice.owner, slice.limits, { needed: 0, spare: 0, back, capacities }).catch(() => {});
  }

  function keyOf(owner: string, limits: readonly Limit[]): string {
    let key = owner;
    for (const limit of limits) key += `|${limit.key}:${limit.perMinute}`;
    return key;
  }

  return {
    takeLeft(owner, limits) {
      const slice = slices.get(keyOf(owner, limits));
      if (slice === undefined || slice.left === 0 || slice.asking || !isCurrent(slice)) return undefined;
      slice.left -= 1;
      slice.counted += 1;
      return allowTakes(slice, slice.left);
    },
    take(owner, limits) {
      const key = keyOf(owner, limits);
      let slice = slices.get(key);
      if (slice === undefined) {
        slice = { owner, limits, left: 0, counted: 0, begun: 0, levels: [], waiting: [], asking: false };
        if (slices.size < MAX_SLICES) slices.set(key, slice);
      }
      const { waiting, asking } = slice;
      const taken = new Promise<Take[]>((resolve, reject) => waiting.push({ resolve, reject }));
      if (!asking) void ask(slice);
      return taken;
    },
  };
}

/** @param left requests left in the slice, or taken for other waiting requests */
function allowTakes({ limits, levels }: Slice, left: number): Take[] {
  return limits.map((limit, index) => {
    const remaining = (levels[index] ?? 0) + left;
    return {
      allowed: true,
      limit: limit.perMinute,
      remaining,
      resetSeconds: Math.max(0, Math.ceil((capacityOf(limit) - remaining) / (limit.perMinute / 60))),
    };
  });
}

/** @param waits seconds until a request fits, per limit; 0 if one fits now */
function refuseTakes({ limits, levels }: Slice, waits: readonly number[]): Take[] {
  return limits.map((limit, index) => {
    const remaining = levels[index] ?? 0;
    const wait = waits[index] ?? 0;
    const whole = Math.ceil((capacityOf(limit) - remaining) / (limit.perMinute / 60));
    return { allowed: wait === 0, limit: limit.perMinute, remaining, resetSeconds: wait > 0 ? wait : whole };
  });
}
