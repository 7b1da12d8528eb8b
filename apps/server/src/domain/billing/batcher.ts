import { setTimeout as sleep } from "node:timers/promises";

/**
 * Lets a crowd share one statement: what gathers while a statement is under way is the next statement. There is no
 * timer, so a lone item goes at once. It must not know what a statement does.
 */

/** An answer of `run`: this item must wait for the next statement. */
export const again: unique symbol = Symbol("again");

export interface Pending<Input> {
  input: Input;
  /** An earlier statement with this item lost its connection: it may or may not have taken effect. */
  uncertain: boolean;
}

export interface BatcherOptions<Input, Output> {
  maxRows: number;
  /** One answer per item, in order. All items of one call share one atomic statement. */
  run(items: readonly Pending<Input>[]): Promise<(Output | typeof again)[]>;
  /** Whether an error says "try later" (a lost connection, a restart, a deadlock) rather than "this is wrong". */
  isPassing(error: unknown): boolean;
  /** How long an item is tried again over passing errors before it fails. Milliseconds. */
  retryForMs: number;
}

export interface Batcher<Input, Output> {
  add(input: Input): Promise<Output>;
  /** Items that have no answer yet. */
  readonly size: number;
  /** Resolves when no item is waiting or under way. */
  idle(): Promise<void>;
}

interface Waiting<Input, Output> extends Pending<Input> {
  /** Set by the first passing error. */
  deadline: number | undefined;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

const firstPauseMs = 20;
const longestPauseMs = 1_000;

export function createBatcher<Input, Output>(options: BatcherOptions<Input, Output>): Batcher<Input, Output> {
  let queue: Waiting<Input, Output>[] = [];
  let underWay = 0;
  let pump: Promise<void> | undefined;

  async function work(): Promise<void> {
    // Whatever is added in the same turn of the event loop joins the first statement.
    await Promise.resolve();
    let pauseMs = firstPauseMs;
    while (queue.length > 0) {
      const batch = queue.slice(0, options.maxRows);
      queue = queue.slice(batch.length);
      underWay = batch.length;
      const passing = await attempt(batch);
      underWay = 0;
      if (!passing) {
        pauseMs = firstPauseMs;
        continue;
      }
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
    // In the same breath as the look at the queue: an item added a moment later must find that nobody works.
    pump = undefined;
  }

  /** Returns true when the batch met a passing error and went back to the queue. */
  async function attempt(batch: Waiting<Input, Output>[]): Promise<boolean> {
    let answers: (Output | typeof again)[];
    try {
      answers = await options.run(batch);
    } catch (error) {
      if (options.isPassing(error)) {
        postpone(batch, error);
        return true;
      }
      return isolate(batch, error);
    }
    const back: Waiting<Input, Output>[] = [];
    for (const [index, item] of batch.entries()) {
      const answer = answers[index];
      if (answer === again) back.push(item);
      else item.resolve(answer as Output);
    }
    queue = [...back, ...queue];
    return false;
  }

  function postpone(batch: Waiting<Input, Output>[], error: unknown): void {
    const now = Date.now();
    const back: Waiting<Input, Output>[] = [];
    for (const item of batch) {
      item.uncertain = true;
      item.deadline ??= now + options.retryForMs;
      if (now < item.deadline) back.push(item);
      else item.reject(error);
    }
    queue = [...back, ...queue];
  }

  /** One bad item must not take the others with it: halve until it stands alone. */
  async function isolate(batch: Waiting<Input, Output>[], error: unknown): Promise<boolean> {
    if (batch.length === 1) {
      batch[0]?.reject(error);
      return false;
    }
    const middle = Math.ceil(batch.length / 2);
    const first = await attempt(batch.slice(0, middle));
    const second = await attempt(batch.slice(middle));
    return first || second;
  }

  return {
    add(input) {
      return new Promise<Output>((resolve, reject) => {
        queue.push({ input, uncertain: false, deadline: undefined, resolve, reject });
        pump ??= work();
      });
    },
    get size() {
      return queue.length + underWay;
    },
    async idle() {
      for (let work = pump; work !== undefined; work = pump) await work;
    },
  };
}
