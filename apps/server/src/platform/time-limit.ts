import { setTimeout as sleep } from "node:timers/promises";

/** Resolves with `work`, or rejects with `late()` when it takes longer. `work` then continues unobserved. */
export async function withinTime<T>(milliseconds: number, work: Promise<T>, late: () => Error): Promise<T> {
  const ended = new AbortController();
  const tooLate = sleep(milliseconds, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    ended.abort();
    work.catch(() => undefined);
  }
}
