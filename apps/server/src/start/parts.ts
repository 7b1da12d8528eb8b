import { setTimeout as sleep } from "node:timers/promises";

/** A part that a gateway opens at the start and closes at the stop. */
export interface Component<Needs, Opened> {
  /** Name for the log, e.g. "ledger". */
  name: string;
  open(needs: Needs): Promise<Opened> | Opened;
  /** Waits only for the part's own work. */
  close?(opened: Opened): unknown;
  /** Closing may take any time; other parts have `closeMs`. */
  patient?: true;
}

/** The open parts, in the order of opening. */
export interface Parts {
  /** Opens a part. Throws the error of its `open`; the caller then closes the open parts. */
  open<Needs, Opened>(part: Component<Needs, Opened>, needs: Needs): Promise<Opened>;
  /** Closes in reverse order. A part that fails or takes too long does not prevent others from closing. */
  close(): Promise<void>;
}

interface Limits {
  /** Milliseconds for one part. */
  closeMs?: number;
  /** Milliseconds for all parts; each has at least a second. */
  closeAllMs?: number;
}

const LEAST_MS = 1_000;

/** @param onError called with the name of a part that could not be closed, and the error */
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

/** Resolves with `work`, or rejects after the timeout. `work` then continues unobserved. */
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
