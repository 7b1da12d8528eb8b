/**
 * Groups items into shared statements: items that arrive during a statement form the next one. It uses no
 * timer, so a single item is sent immediately. It must not depend on the statement's content.
 */
import { setTimeout as sleep } from "node:timers/promises";

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
  /** Items of one statement at most. Default: 200. */
  maxRows?: number;
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

interface QueuedItem<Input, Output> extends BatchItem<Input> {
  addedAt: number;
  /** Set by the first transient error. */
  deadline: number | undefined;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

const MAX_ROWS = 200;
const firstPauseMs = 20;
const longestPauseMs = 500;
/** Interval of checks for released locks. */
const lookEveryMs = 50;

export class Batcher<Input, Output> {
  readonly #options: BatcherOptions<Input, Output>;
  #queue: QueuedItem<Input, Output>[] = [];
  #inProgress: readonly QueuedItem<Input, Output>[] = [];
  readonly #maxRows: number;
  /** Largest number of items of the next statement. */
  #most: number;
  #pump: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** Items with locked rows, by key. */
  readonly #aside = new Map<number, QueuedItem<Input, Output>[]>();
  #lookedAt = 0;

  constructor(options: BatcherOptions<Input, Output>) {
    this.#options = options;
    this.#maxRows = options.maxRows ?? MAX_ROWS;
    this.#most = this.#maxRows;
  }

  add(input: Input): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      const addedAt = performance.now();
      const item = { input, isUncertain: false, addedAt, deadline: undefined, resolve, reject };
      const { locks } = this.#options;
      if (this.#aside.size === 0 || locks === undefined || !this.#joinAside(item, locks)) {
        this.#queue.push(item);
        this.#wake?.();
      }
      this.#pump ??= this.#work();
    });
  }

  /** Number of items without a result. */
  get size(): number {
    const aside = [...this.#aside.values()].reduce((sum, items) => sum + items.length, 0);
    return this.#queue.length + this.#inProgress.length + aside;
  }

  /** Returns the age of the oldest item in milliseconds. Items of locked accounts do not count. */
  ageMs(): number {
    const oldest = Math.min(...[...this.#inProgress, ...this.#queue].map((item) => item.addedAt));
    return Number.isFinite(oldest) ? performance.now() - oldest : 0;
  }

  /** Resolves when no item is waiting or in progress. */
  async idle(): Promise<void> {
    for (let work = this.#pump; work !== undefined; work = this.#pump) await work;
  }

  async #work(): Promise<void> {
    // Items added in the same turn of the event loop join the first statement.
    await Promise.resolve();
    let pauseMs = firstPauseMs;
    while (this.#queue.length > 0 || this.#aside.size > 0) {
      if (this.#aside.size > 0) await this.#bringBack();
      if (this.#queue.length === 0) {
        if (this.#aside.size > 0) await this.#pause(lookEveryMs);
        continue;
      }
      const batch = this.#queue.slice(0, this.#most);
      this.#queue = this.#queue.slice(batch.length);
      this.#inProgress = batch;
      const passing = await this.#attempt(batch);
      this.#inProgress = [];
      if (!passing) {
        pauseMs = firstPauseMs;
        this.#most = Math.min(this.#maxRows, this.#most * 2);
        continue;
      }
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
    // Reset in the same synchronous step as the check of the queue, so that an item added later starts a new run.
    this.#pump = undefined;
  }

  /** Waits; ends early when an item is added. */
  async #pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** Returns true when the batch hit a transient error and went back to the queue. */
  async #attempt(batch: readonly QueuedItem<Input, Output>[]): Promise<boolean> {
    let answers: (Output | typeof again)[];
    try {
      answers = await this.#options.run(batch);
    } catch (error) {
      if (this.#options.locks?.isLocked(error) === true)
        return this.#setAside(batch, this.#options.locks, error);
      if (this.#options.isTransient(error)) {
        if (this.#options.isSlow?.(error) === true) this.#most = Math.max(1, Math.floor(batch.length / 2));
        this.#postpone(batch, error);
        return true;
      }
      return this.#isolate(batch, error);
    }
    const back: QueuedItem<Input, Output>[] = [];
    for (const [index, item] of batch.entries()) {
      const answer = answers[index];
      if (answer === again) back.push(item);
      else item.resolve(answer as Output);
    }
    this.#queue = [...back, ...this.#queue];
    return false;
  }

  /** Returns items before their deadline and those that go on; rejects the others. */
  #stillWaiting(items: readonly QueuedItem<Input, Output>[], error: unknown): QueuedItem<Input, Output>[] {
    const now = performance.now();
    return items.filter((item) => {
      item.deadline ??= now + this.#options.retryForMs(item.input);
      if (now < item.deadline || this.#options.keepsTrying?.(item.input) === true) return true;
      item.reject(error);
      return false;
    });
  }

  /** Items past their deadline queue behind the others, which would never be tried otherwise. */
  #requeue(items: readonly QueuedItem<Input, Output>[], error: unknown): void {
    const waiting = this.#stillWaiting(items, error);
    const now = performance.now();
    const isLate = ({ deadline = Infinity }: QueuedItem<Input, Output>) => deadline <= now;
    this.#queue = [...waiting.filter((item) => !isLate(item)), ...this.#queue, ...waiting.filter(isLate)];
  }

  #postpone(batch: readonly QueuedItem<Input, Output>[], error: unknown): void {
    for (const item of batch) item.isUncertain = true;
    this.#requeue(batch, error);
  }

  /** Sets aside items with locked rows. Returns true when no row was locked: then all items are retried. */
  async #setAside(
    batch: readonly QueuedItem<Input, Output>[],
    locks: LockOptions<Input>,
    error: unknown,
  ): Promise<boolean> {
    let locked: Set<number>;
    try {
      locked = await locks.lockedOf(batch.map((item) => item.input));
    } catch (failure) {
      this.#postpone(batch, failure);
      return true;
    }
    const free: QueuedItem<Input, Output>[] = [];
    for (const item of this.#stillWaiting(batch, locks.expiryError())) {
      const key = locks.keyOf(item.input);
      if (locked.has(key)) this.#aside.set(key, [...(this.#aside.get(key) ?? []), item]);
      else free.push(item);
    }
    if (locked.size === 0) {
      // The rows were released in between, or a whole table was locked.
      this.#requeue(free, error);
      return true;
    }
    const others = this.#queue.filter((item) => !this.#joinAside(item, locks));
    this.#queue = [...free, ...others];
    return false;
  }

  #joinAside(item: QueuedItem<Input, Output>, locks: LockOptions<Input>): boolean {
    const waiting = this.#aside.get(locks.keyOf(item.input));
    if (waiting === undefined) return false;
    item.deadline ??= performance.now() + this.#options.retryForMs(item.input);
    waiting.push(item);
    return true;
  }

  /** Returns items to the queue when their rows are unlocked; rejects those past their deadline. */
  async #bringBack(): Promise<void> {
    const { locks } = this.#options;
    if (locks === undefined || performance.now() - this.#lookedAt < lookEveryMs) return;
    for (const [key, items] of this.#aside) {
      const left = this.#stillWaiting(items, locks.expiryError());
      if (left.length === 0) this.#aside.delete(key);
      else this.#aside.set(key, left);
    }
    if (this.#aside.size === 0) return;
    try {
      const locked = await locks.lockedOf([...this.#aside.values()].flat().map((item) => item.input));
      for (const [key, items] of this.#aside) {
        if (locked.has(key)) continue;
        this.#aside.delete(key);
        for (const item of items) item.addedAt = performance.now();
        this.#queue = [...this.#queue, ...items];
      }
    } catch {
      // The database is away: what is in the queue finds out, and these look again.
    }
    this.#lookedAt = performance.now();
  }

  /** Splits a failing batch in half until the bad item is alone, so that the others still succeed. */
  async #isolate(batch: readonly QueuedItem<Input, Output>[], error: unknown): Promise<boolean> {
    if (batch.length === 1) {
      batch[0]?.reject(error);
      return false;
    }
    const middle = Math.ceil(batch.length / 2);
    const first = await this.#attempt(batch.slice(0, middle));
    const second = await this.#attempt(batch.slice(middle));
    return first || second;
  }
}
