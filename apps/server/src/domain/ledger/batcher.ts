import { setTimeout as sleep } from "node:timers/promises";

/**
 * Lets many items share one statement: what gathers while a statement is under way is the next statement. There is no
 * timer, so a lone item goes at once. It must not know what a statement does.
 */

/** An answer of `run`: this item must wait for the next statement. */
export const again: unique symbol = Symbol("again");

export interface Pending<Input> {
  input: Input;
  /** An earlier statement with this item lost its connection: it may or may not have taken effect. */
  uncertain: boolean;
}

/** Items whose rows another transaction has locked wait apart, so that all others go on. */
export interface LockOptions<Input> {
  /** Items with one key want the same rows. */
  keyOf(input: Input): number;
  /** Whether an error says that a statement waited too long for a lock. */
  isLocked(error: unknown): boolean;
  /** The keys among these whose rows are locked at this moment. It must not wait for them. */
  lockedOf(inputs: readonly Input[]): Promise<Set<number>>;
  /** The error of an item whose rows stayed locked until its time was over. */
  expired(): Error;
}

export interface BatcherOptions<Input, Output> {
  maxRows: number;
  /** One answer per item, in order. All items of one call share one atomic statement. */
  run(items: readonly Pending<Input>[]): Promise<(Output | typeof again)[]>;
  /** Whether an error says "try later" (a lost connection, a restart, a deadlock) rather than "this is wrong". */
  isPassing(error: unknown): boolean;
  /** Whether a passing error says that the statement itself took too long: the next ones take fewer items. */
  isSlow?(error: unknown): boolean;
  /** How long this item is tried again over passing errors and locked rows before it fails. Milliseconds. */
  retryForMs(input: Input): number;
  locks?: LockOptions<Input>;
}

export interface Batcher<Input, Output> {
  add(input: Input): Promise<Output>;
  /** Items that have no answer yet. */
  readonly size: number;
  /** Milliseconds since the oldest item was added that waits for the database; locked accounts do not count. */
  ageMs(): number;
  /** Resolves when no item is waiting or under way. */
  idle(): Promise<void>;
}

interface Waiting<Input, Output> extends Pending<Input> {
  addedAt: number;
  /** Set by the first passing error. */
  deadline: number | undefined;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

const firstPauseMs = 20;
const longestPauseMs = 500;
/** How often it looks whether locked rows are free. */
const lookEveryMs = 50;

export function createBatcher<Input, Output>(options: BatcherOptions<Input, Output>): Batcher<Input, Output> {
  type Item = Waiting<Input, Output>;
  let queue: Item[] = [];
  let inProgress: readonly Item[] = [];
  let most = options.maxRows;
  let pump: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  /** Items of locked rows, by key. */
  const aside = new Map<number, Item[]>();
  let lookedAt = 0;

  async function work(): Promise<void> {
    // Whatever is added in the same turn of the event loop joins the first statement.
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
    // In the same step as the look at the queue: an item added a moment later must find that no one works.
    pump = undefined;
  }

  /** Ends early when an item is added. */
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

  /** Returns true when the batch met a passing error and went back to the queue. */
  async function attempt(batch: readonly Item[]): Promise<boolean> {
    let answers: (Output | typeof again)[];
    try {
      answers = await options.run(batch);
    } catch (error) {
      if (options.locks?.isLocked(error) === true) return setAside(batch, options.locks, error);
      if (options.isPassing(error)) {
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

  /** Items whose time is not over yet; the others are rejected. */
  function stillWaiting(items: readonly Item[], error: unknown): Item[] {
    const now = performance.now();
    return items.filter((item) => {
      item.deadline ??= now + options.retryForMs(item.input);
      if (now < item.deadline) return true;
      item.reject(error);
      return false;
    });
  }

  function postpone(batch: readonly Item[], error: unknown): void {
    for (const item of batch) item.uncertain = true;
    queue = [...stillWaiting(batch, error), ...queue];
  }

  /** Takes the items of locked rows out of the way. True when none was found: then all are tried again. */
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
    for (const item of stillWaiting(batch, locks.expired())) {
      const key = locks.keyOf(item.input);
      if (locked.has(key)) aside.set(key, [...(aside.get(key) ?? []), item]);
      else free.push(item);
    }
    if (locked.size === 0) {
      // Someone else let go of the rows in between, or a whole table was locked.
      queue = [...stillWaiting(free, error), ...queue];
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

  /** Puts the items of rows that are free again into the queue, and rejects those whose time is over. */
  async function bringBack(): Promise<void> {
    const { locks } = options;
    if (locks === undefined || performance.now() - lookedAt < lookEveryMs) return;
    for (const [key, items] of aside) {
      const left = stillWaiting(items, locks.expired());
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

  /** One bad item must not take the others with it: halve until it stands alone. */
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
        const item: Item = { input, uncertain: false, addedAt, deadline: undefined, resolve, reject };
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
