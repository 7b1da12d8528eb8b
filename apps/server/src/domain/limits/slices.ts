import { BURST_SECONDS, type Limit, type Take } from "./levels.ts";
import type { SharedSlices } from "./redis-script.ts";

/**
 * Requests of large limits without a round trip each: a node takes a slice of the bucket for a moment and counts inside
 * it. What a slice holds is taken from the bucket that all nodes share, so all of them together stay within the limit.
 */
export interface Slices {
  /** One request of these limits, or of none. Rejects when Redis is away. */
  take(owner: string, limits: readonly Limit[]): Take[] | Promise<Take[]>;
}

/** Milliseconds for which a slice counts. */
export const SLICE_MS = 50;
/** Requests a minute from which slices are taken: fewer are less than five in a slice's time, and stay exact. */
export const SLICED_FROM = 6_000;
const MAX_SLICES = 50_000;
/** Milliseconds: over less than this no rate is known. */
const SHORTEST_MS = 5;

/** Whether every limit is one of requests with a bucket that is large enough. */
export function mayBeSliced(limits: readonly Limit[]): boolean {
  for (const { kind, perMinute } of limits) if (kind !== "requests" || perMinute < SLICED_FROM) return false;
  return limits.length > 0;
}

/**
 * What a bucket holds here: it refills while a part of it is in slices, and this is less by as much, so that a burst is
 * never larger than the limit allows.
 */
function capacityOf({ perMinute }: Limit): number {
  return (perMinute / 60) * (BURST_SECONDS - SLICE_MS / 1_000);
}

interface Slice {
  owner: string;
  limits: readonly Limit[];
  /** Requests that are still in it. */
  left: number;
  /** Requests that were counted since it was taken: as many are expected in the next one. */
  counted: number;
  begun: number;
  /** What the shared buckets held when it was taken, per limit. */
  levels: readonly number[];
  /** Requests that came while the buckets are asked. */
  waiting: { resolve(takes: Take[]): void; reject(error: unknown): void }[];
  asking: boolean;
}

export function createSlices(shared: SharedSlices, now: () => number): Slices {
  const slices = new Map<string, Slice>();
  let timer: NodeJS.Timeout | undefined;

  function isCurrent(slice: Slice): boolean {
    return now() - slice.begun < SLICE_MS;
  }

  /** Requests of the next slice's time, if they go on as in this one's. */
  function expected({ begun, counted }: Slice): number {
    const elapsed = now() - begun;
    return elapsed > 2 * SLICE_MS ? 0 : Math.floor((counted * SLICE_MS) / Math.max(elapsed, SHORTEST_MS));
  }

  /** What of an old slice goes back with the next question. */
  function unused(slice: Slice): number {
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
      const spare = expected(slice);
      try {
        const answer = await shared.takeSlice(owner, limits, {
          needed: requested.length,
          spare,
          back: unused(slice),
          capacities: limits.map(capacityOf),
        });
        slice.left = answer.taken - Math.min(answer.taken, requested.length);
        slice.begun = now();
        slice.counted = requested.length;
        slice.levels = answer.levels;
        for (const [index, { resolve }] of requested.entries())
          resolve(
            index < answer.taken ? allowed(slice, answer.taken - 1 - index) : refused(slice, answer.waits),
          );
      } catch (error) {
        for (const { reject } of requested) reject(error);
      }
      // Those that came meanwhile find what is left.
      while (slice.waiting.length > 0 && slice.left > 0) {
        slice.left -= 1;
        slice.counted += 1;
        slice.waiting.shift()?.resolve(allowed(slice, slice.left));
      }
    }
    slice.asking = false;
    watch();
  }

  /** Slices whose owner sends nothing more are given back and forgotten. */
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
    const back = unused(slice);
    if (back === 0) return;
    const capacities = slice.limits.map(capacityOf);
    // Away: what was taken stays taken, which is the tighter side.
    shared.takeSlice(slice.owner, slice.limits, { needed: 0, spare: 0, back, capacities }).catch(() => {});
  }

  return {
    take(owner, limits) {
      let key = owner;
      for (const limit of limits) key += `|${limit.key}:${limit.perMinute}`;
      let slice = slices.get(key);
      if (slice === undefined) {
        slice = { owner, limits, left: 0, counted: 0, begun: 0, levels: [], waiting: [], asking: false };
        if (slices.size < MAX_SLICES) slices.set(key, slice);
      }
      if (slice.left > 0 && !slice.asking && isCurrent(slice)) {
        slice.left -= 1;
        slice.counted += 1;
        return allowed(slice, slice.left);
      }
      const { waiting, asking } = slice;
      const taken = new Promise<Take[]>((resolve, reject) => waiting.push({ resolve, reject }));
      if (!asking) void ask(slice);
      return taken;
    },
  };
}

/** @param left requests that are still in the slice, or were taken for others that wait */
function allowed({ limits, levels }: Slice, left: number): Take[] {
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

/** @param waits seconds until a request fits, per limit; 0 where one fits now */
function refused({ limits, levels }: Slice, waits: readonly number[]): Take[] {
  return limits.map((limit, index) => {
    const remaining = levels[index] ?? 0;
    const wait = waits[index] ?? 0;
    const whole = Math.ceil((capacityOf(limit) - remaining) / (limit.perMinute / 60));
    return { allowed: wait === 0, limit: limit.perMinute, remaining, resetSeconds: wait > 0 ? wait : whole };
  });
}
