/**
 * Lets work of one owner run a few at a time, in order. Waiting work holds nothing: no connection of the database,
 * no lock.
 */
interface Turns<Owner> {
  /** Runs the work when it is its turn. Throws `onFull()` when too much of its owner's work waits. */
  run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result>;
}

interface Queue {
  running: number;
  waiting: (() => void)[];
}

/**
 * @param atOnce work of one owner that may run at the same time
 * @param mostWaiting work of one owner that may wait
 */
export function createTurns<Owner>(atOnce: number, mostWaiting: number, onFull: () => Error): Turns<Owner> {
  const queues = new Map<Owner, Queue>();
  return {
    async run(owner, work) {
      const queue = queues.get(owner) ?? { running: 0, waiting: [] };
      queues.set(owner, queue);
      if (queue.running < atOnce) queue.running += 1;
      else {
        if (queue.waiting.length >= mostWaiting) throw onFull();
        // Its turn is handed over, so the number of running ones stays.
        await new Promise<void>((resolve) => queue.waiting.push(resolve));
      }
      try {
        return await work();
      } finally {
        const next = queue.waiting.shift();
        if (next !== undefined) next();
        else {
          queue.running -= 1;
          if (queue.running === 0) queues.delete(owner);
        }
      }
    },
  };
}
