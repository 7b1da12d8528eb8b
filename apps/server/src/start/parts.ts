import { setTimeout as sleep } from "node:timers/promises";

/** One thing that a gateway opens when it starts and closes when it stops. */
export interface Part<Needs, Opened> {
  /** For the log, e.g. "ledger". */
  name: string;
  open(needs: Needs): Promise<Opened> | Opened;
  /** Waits for the part's own work only. */
  close?(opened: Opened): unknown;
  /** Its close may take any time; the others have `closeMs`. */
  patient?: true;
}

/** The parts that are open, in the order in which they were opened. */
export interface Parts {
  /** Opens a part. Throws what its `open` throws; the caller then closes what is open. */
  open<Needs, Opened>(part: Part<Needs, Opened>, needs: Needs): Promise<Opened>;
  /** Closes in reverse order. A part that fails or takes too long does not keep the others from closing. */
  close(): Promise<void>;
}

interface Limits {
  /** Milliseconds for one part. */
  closeMs?: number;
  /** Milliseconds for all of them; each has at least a second. */
  closeAllMs?: number;
}

const LEAST_MS = 1_000;

/** @param onError called with the name of a part that could not be closed, and why */
export function createParts(
  onError: (name: string, error: unknown) => void,
  { closeMs = 10_000, closeAllMs = 25_000 }: Limits = {},
): Parts {
  const opened: { name: string; patient: boolean; close: () => Promise<unknown> }[] = [];
  return {
    async open(part, needs) {
      const result = await part.open(needs);
      const { name, close, patient = false } = part;
      if (close !== undefined) opened.push({ name, patient, close: async () => close(result) });
      return result;
    },
    async close() {
      const until = performance.now() + closeAllMs;
      for (const { name, patient, close } of opened.splice(0).reverse()) {
        const limit = Math.max(Math.min(LEAST_MS, closeMs), Math.min(closeMs, until - performance.now()));
        await (patient ? close() : within(limit, close())).catch((error: unknown) => onError(name, error));
      }
    },
  };
}

/** Ends with `work`, or rejects after so many milliseconds; `work` then goes on unwatched. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([
      work,
      sleep(milliseconds, undefined, { signal: late.signal }).then(() => {
        throw new Error(`It took longer than ${milliseconds / 1_000} s.`);
      }),
    ]);
  } finally {
    late.abort();
    work.catch(() => undefined);
  }
}
