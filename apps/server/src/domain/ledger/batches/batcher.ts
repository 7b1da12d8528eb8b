import { setTimeout as sleep } from "node:timers/promises";

/**
 * Groups items into shared statements: items that arrive during a statement form the next one. It uses no
 * timer, so a single item is sent immediately. It must not depend on the statement's content.
 */

/** Result of `run` for an item that must wait for the next statement. */
export const again: unique symbol = Symbol("again");

export interface BatchItem<Input> {
  input: Input;
  /** An earlier statement with this item lost its connection and may have taken effect. */
  isUncertain: boolean;
}

/** Items whose rows are locked by another transaction wait separately, so that all others proceed. */
export interface LockOptions<Input> {
  /** Returns the key of an item's rows. Items with the same key need the same rows. */
  keyOf(input: Input): number;
  /** Returns whether the error means that a statement waited too long for a lock. */
  isLocked(error: unknown): boolean;
  /** Returns the keys whose rows are locked now. It must not wait for them. */
  lockedOf(inputs: readonly Input[]): Promise<Set<number>>;
  /** Returns the error for an item whose rows stayed locked until its deadline. */
  expiryError(): Error;
}

export interface BatcherOptions<Input, Output> {
  maxRows: number;
  /** Returns one result per item, in order. All items of one run share one atomic statement. */
  run(items: readonly BatchItem<Input>[]): Promise<(Output | typeof again)[]>;
  /** Returns whether an error is transient (a lost connection, a restart, a deadlock). */
  isTransient(error: unknown): boolean;
  /** Returns whether a transient error means that the statement took too long: the next ones are smaller. */
  isSlow?(error: unknown): boolean;
  /** Returns how long to retry this item after transient errors and locked rows, in milliseconds. */
  retryForMs(input: Input): number;
  /**
   * Called when an item has no result after its `retryForMs`, and again after each further failure. Returns true
   * to go on trying; otherwise the item is rejected.
   */
  keepsTrying?(input: Input): boolean;
  locks?: LockOptions<Input>;
}

export interface Batcher<Input, Output> {
  add(input: Input): Promise<Output>;
  /** Number of items without a result. */
  readonly size: number;
  /** Returns the age of the oldest item in milliseconds. Items of locked accounts do not count. */
  ageMs(): number;
  /** Resolves when no item is waiting or in progress. */
  idle(): Promise<void>;
}

interface QueuedItem<Input, Output> extends BatchItem<Input> {
  addedAt: number;
  /** Set by the first transient error. */
  deadline: number | undefined;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

const firstPauseMs = 20;
const longestPauseMs = 500;
/** Interval of checks for released locks. */
const lookEveryMs = 50;

export function createBatcher<Input, Output>(options: BatcherOptions<Input, Output>): Batcher<Input, Output> {
  type Item = QueuedItem<Input, Output>;
  let queue: Item[] = [];
  let inProgress: readonly Item[] = [];
  let most = options.maxRows;
  let pump: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  /** Items with locked rows, by key. */
  const aside = new Map<number, Item[]>();
  let lookedAt = 0;

  async function work(): Promise<void> {
    // Items added in the same turn of the event loop join the first statement.
    await Promise.resolve();
    let pauseMs = firstPauseMs;
    while (queue.length > 0 || aside.size > 0) {
      if (aside.size > 0) await bringBack();
      if (queue.length === 0) {
        if (aside.size > 0) await pause(lookEveryMs);
        continue;
      }
      const batch = queue.slice(0, most);
      queue = queue.slice(batch.length);
      inProgress = batch;
      const passing = await attempt(batch);
      inProgress = [];
      if (!passing) {
        pauseMs = firstPauseMs;
        most = Math.min(options.maxRows, most * 2);
        continue;
      }
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
    // Reset in the same synchronous step as the queue check, so that an item added later starts a new run.
    pump = undefined;
  }

  /** Waits; ends early when an item is added. */
  async function pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wake = undefined;
  }

  /** Returns true when the batch hit a transient error and went back to the queue. */
  async function attempt(batch: readonly Item[]): Promise<boolean> {
    let answers: (Output | typeof again)[];
    try {
      answers = await options.run(batch);
    } catch (error) {
      if (options.locks?.isLocked(error) === true) return setAside(batch, options.locks, error);
      if (options.isTransient(error)) {
        if (options.isSlow?.(error) === true) most = Math.max(1, Math.floor(batch.length / 2));
        postpone(batch, error);
        return true;
      }
      return isolate(batch, error);
    }
    const back: Item[] = [];
    for (const [index, item] of batch.entries()) {
      const answer = answers[index];
      if (answer === again) back.push(item);
      else item.resolve(answer as Output);
    }
    queue = [...back, ...queue];
    return false;
  }

  /** Returns items before their deadline and those that go on; rejects the others. */
  function stillWaiting(items: readonly Item[], error: unknown): Item[] {
    const now = performance.now();
    return items.filter((item) => {
      item.deadline ??= now + options.retryForMs(item.input);
      if (now < item.deadline || options.keepsTrying?.(item.input) === true) return true;
      item.reject(error);
      return false;
    });
  }

  /** Items past their deadline queue behind the others, which would never be tried otherwise. */
  function requeue(items: readonly Item[], error: unknown): void {
    const waiting = stillWaiting(items, error);
    const now = performance.now();
    const isLate = ({ deadline = Infinity }: Item) => deadline <= now;
    queue = [...waiting.filter((item) => !isLate(item)), ...queue, ...waiting.filter(isLate)];
  }

  function postpone(batch: readonly Item[], error: unknown): void {
    for (const item of batch) item.isUncertain = true;
    requeue(batch, error);
  }

  /** Sets aside items with locked rows. Returns true when no row was locked: then all items are retried. */
  async function setAside(
    batch: readonly Item[],
    locks: LockOptions<Input>,
    error: unknown,
  ): Promise<boolean> {
    let locked: Set<number>;
    try {
      locked = await locks.lockedOf(batch.map((item) => item.input));
    } catch (failure) {
      postpone(batch, failure);
      return true;
    }
    const free: Item[] = [];
    for (const item of stillWaiting(batch, locks.expiryError())) {
      const key = locks.keyOf(item.input);
      if (locked.has(key)) aside.set(key, [...(aside.get(key) ?? []), item]);
      else free.push(item);
    }
    if (locked.size === 0) {
      // The rows were released in between, or a whole table was locked.
      requeue(free, error);
      return true;
    }
    const others = queue.filter((item) => !joinAside(item, locks));
    queue = [...free, ...others];
    return false;
  }

  function joinAside(item: Item, locks: LockOptions<Input>): boolean {
    const waiting = aside.get(locks.keyOf(item.input));
    if (waiting === undefined) return false;
    item.deadline ??= performance.now() + options.retryForMs(item.input);
    waiting.push(item);
    return true;
  }

  /** Returns items to the queue when their rows are unlocked; rejects those past their deadline. */
  async function bringBack(): Promise<void> {
    const { locks } = options;
    if (locks === undefined || performance.now() - lookedAt < lookEveryMs) return;
    for (const [key, items] of aside) {
      const left = stillWaiting(items, locks.expiryError());
      if (left.length === 0) aside.delete(key);
      else aside.set(key, left);
    }
    if (aside.size === 0) return;
    try {
      const locked = await locks.lockedOf([...aside.values()].flat().map((item) => item.input));
      for (const [key, items] of aside) {
        if (locked.has(key)) continue;
        aside.delete(key);
        for (const item of items) item.addedAt = performance.now();
        queue = [...queue, ...items];
      }
    } catch {
      // The database is away: what is in the queue finds out, and these look again.
    }
    lookedAt = performance.now();
  }

  /** Splits a failing batch in half until the bad item is alone, so that the others still succeed. */
  async function isolate(batch: readonly Item[], error: unknown): Promise<boolean> {
    if (batch.length === 1) {
      batch[0]?.reject(error);
      return false;
    }
    const middle = Math.ceil(batch.length / 2);
    const first = await attempt(batch.slice(0, middle));
    const second = await attempt(batch.slice(middle));
    return first || second;
  }

  const asideCount = () => [...aside.values()].reduce((sum, items) => sum + items.length, 0);

  return {
    add(input) {
      return new Promise<Output>((resolve, reject) => {
        const addedAt = performance.now();
        const item: Item = { input, isUncertain: false, addedAt, deadline: undefined, resolve, reject };
        if (aside.size === 0 || options.locks === undefined || !joinAside(item, options.locks)) {
          queue.push(item);
          wake?.();
        }
        pump ??= work();
      });
    },
    get size() {
      return queue.length + inProgress.length + asideCount();
    },
    ageMs() {
      const oldest = Math.min(...[...inProgress, ...queue].map((item) => item.addedAt));
      return Number.isFinite(oldest) ? performance.now() - oldest : 0;
    },
    async idle() {
      for (let work = pump; work !== undefined; work = pump) await work;
    },
  };
}
