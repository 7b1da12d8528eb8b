import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { GatewayError } from "#errors.ts";

/**
 * The memory that requests and responses of this process may use together. Everything that may be large is
 * counted before it is read: request bodies, fetched files, responses that are collected before they are
 * sent. Requests that do not fit wait in the order of their arrival, then get a 503.
 */
export interface MemoryBudget {
  /** Maximum number of bytes in use at once. */
  readonly capacity: number;
  /** Bytes in use. */
  readonly used: number;
  /**
   * Waits until the bytes are free, in order of arrival. A request above the capacity is granted when nothing
   * else is in use. Throws `overloaded` (503) after `timeoutMs`, and the signal's reason when it aborts. One that
   * announces more than it takes delays no other: its sender may never send the rest.
   */
  acquire(bytes: number, options: AcquireOptions): Promise<MemoryAllocation>;
}

export interface AcquireOptions {
  /** Who uses the memory, for example `user5`. One owner gets at most its share of the capacity. */
  owner: string;
  /**
   * Bytes that it will have added in the end, if it announced them. It begins, and grows, only while all of them would
   * fit: so one of the requests that grow can always finish.
   */
  announced?: number;
  /** Maximum wait; also the default of `add`. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Bytes of the budget that one request uses until `release`. */
export interface MemoryAllocation {
  readonly bytes: number;
  /** Adds bytes if they are free now. Returns whether they are. */
  tryAdd(bytes: number): boolean;
  /** Adds bytes to the same request. Served before requests that have none yet; throws as `acquire` does. */
  add(bytes: number, options?: { timeoutMs?: number }): Promise<void>;
  /** Gives a part back, for example when a buffer was written to disk. */
  giveBack(bytes: number): void;
  /** Gives everything back. May be called more than once. */
  release(): void;
}

/** Share of the capacity that one owner may use. A single request may use more. */
const SHARE_OF_ONE_OWNER = 0.5;
const DEFAULT_TIMEOUT_MS = 10_000;
/** Requests that may wait at once. The next one is rejected immediately. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_ONE_OWNER = 100;
const MEGABYTE = 1024 * 1024;

interface Requested {
  owner: string;
  bytes: number;
  /** It announced more than it takes now. */
  isBeginning: boolean;
  fits(): boolean;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

interface Waiter extends Requested {
  grant(): void;
}

/** Waits in a queue until the request is granted, its time is over or its signal aborts. @param serve grants what fits now */
function wait(queue: Waiter[], requested: Requested, serve: () => void): Promise<void> {
  const { signal, timeoutMs } = requested;
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      queue.splice(queue.indexOf(waiter), 1);
    };
    const refuse = (reason: unknown) => {
      leave();
      reject(reason instanceof Error ? reason : overloadedError());
      // Requests behind it may fit now.
      serve();
    };
    const onAbort = () => refuse(signal?.reason);
    const timer = setTimeout(() => refuse(overloadedError()), timeoutMs);
    const waiter: Waiter = {
      ...requested,
      grant() {
        leave();
        resolve();
      },
    };
    queue.push(waiter);
    signal?.addEventListener("abort", onAbort, { once: true });
    serve();
  });
}

/** Creates a budget. @param capacity bytes */
export function createMemoryBudget(capacity: number): MemoryBudget {
  const share = Math.floor(capacity * SHARE_OF_ONE_OWNER);
  const usedBy = new Map<string, number>();
  /** Requests that are already being read are served before new ones: when they end, they free memory. */
  const growing: Waiter[] = [];
  const waiting: Waiter[] = [];
  let used = 0;

  /** @param current bytes that the request has already */
  function withinShare(owner: string, bytes: number, current = 0): boolean {
    const own = usedBy.get(owner) ?? 0;
    return own === current || own + bytes <= share;
  }

  function fits(owner: string, bytes: number, current = 0): boolean {
    return (used === current || used + bytes <= capacity) && withinShare(owner, bytes, current);
  }

  function take(owner: string, bytes: number): void {
    used += bytes;
    usedBy.set(owner, (usedBy.get(owner) ?? 0) + bytes);
  }

  function free(owner: string, bytes: number): void {
    if (bytes <= 0) return;
    used -= bytes;
    const left = (usedBy.get(owner) ?? 0) - bytes;
    if (left > 0) usedBy.set(owner, left);
    else usedBy.delete(owner);
    serve();
  }

  /**
   * Grants waiting requests in order. One that exceeds its owner's share, or of which more is announced, is skipped; one
   * that lacks memory blocks those behind it.
   */
  function serve(): void {
    for (const queue of [growing, waiting]) {
      for (let index = 0; index < queue.length;) {
        const waiter = queue[index];
        if (waiter === undefined) return;
        if (waiter.fits()) {
          take(waiter.owner, waiter.bytes);
          waiter.grant();
        } else if (!waiter.isBeginning && withinShare(waiter.owner, waiter.bytes)) return;
        else index += 1;
      }
    }
  }

  function allocate({ owner, bytes, timeoutMs, signal }: Requested, announced: number): MemoryAllocation {
    let released = false;
    let most = announced;
    const restWith = (more: number) => Math.max(more, most - allocation.bytes);
    // The only request that uses memory may grow: no other one could free memory for it.
    const canAdd = (more: number) => fits(owner, restWith(more), allocation.bytes);
    const allocation: { -readonly [Key in keyof MemoryAllocation]: MemoryAllocation[Key] } = {
      bytes,
      tryAdd(more) {
        if (released || more <= 0) return true;
        if (growing.length > 0 || !canAdd(more)) return false;
        take(owner, more);
        allocation.bytes += more;
        return true;
      },
      async add(more, options = {}) {
        if (allocation.tryAdd(more)) return;
        signal?.throwIfAborted();
        const requested: Requested = {
          owner,
          bytes: more,
          isBeginning: restWith(more) > more,
          fits: () => canAdd(more),
          timeoutMs: options.timeoutMs ?? timeoutMs,
          signal,
        };
        await wait(growing, requested, serve);
        if (released) free(owner, more);
        else allocation.bytes += more;
      },
      giveBack(less) {
        const part = Math.max(0, Math.min(less, allocation.bytes));
        allocation.bytes -= part;
        most -= part;
        free(owner, part);
      },
      release() {
        released = true;
        const all = allocation.bytes;
        allocation.bytes = 0;
        free(owner, all);
      },
    };
    return allocation;
  }

  return {
    capacity,
    get used() {
      return used;
    },
    async acquire(bytes, { owner, announced = bytes, timeoutMs = DEFAULT_TIMEOUT_MS, signal }) {
      signal?.throwIfAborted();
      const most = Math.min(Math.max(bytes, announced), capacity);
      const requested: Requested = {
        owner,
        bytes: Math.min(bytes, most),
        isBeginning: most > bytes,
        fits: () => fits(owner, most),
        timeoutMs,
        signal,
      };
      if (waiting.length === 0 && growing.length === 0 && fits(owner, most)) {
        take(owner, requested.bytes);
        return allocate(requested, most);
      }
      const alike = waiting.filter(({ isBeginning }) => isBeginning === requested.isBeginning);
      const own = alike.filter((waiter) => waiter.owner === owner).length;
      if (alike.length >= MAX_WAITING || own >= MAX_WAITING_OF_ONE_OWNER) throw overloadedError();
      await wait(waiting, requested, serve);
      return allocate(requested, most);
    },
  };
}

/**
 * Returns the default budget in bytes: a quarter of the memory of this machine or container, at most half of
 * Node's heap limit, at least 128 MB.
 */
export function defaultMemoryBudget(): number {
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const most = Math.min(memory / 4, getHeapStatistics().heap_size_limit / 2);
  return Math.max(128 * MEGABYTE, Math.floor(most / MEGABYTE) * MEGABYTE);
}

function overloadedError(): GatewayError {
  return new GatewayError("overloaded", {}, { retryAfter: 2 });
}
