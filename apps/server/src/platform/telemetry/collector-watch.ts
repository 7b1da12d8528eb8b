import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { Signal } from "./telemetry-settings.ts";

/** Watches whether the collector accepts what is sent, and counts it. */
export interface CollectorWatch {
  /** Returns the exporter to use instead of the given one. */
  watch<Item>(signal: Signal, exporter: Exporter<Item>, queue?: QueueCount): Exporter<Item>;
  /** Returns how many exports of a signal had each result, and how many records were dropped. */
  counts(): { signal: Signal; ok: number; failed: number; dropped: number }[];
  /** Whether the last export of any signal failed. */
  isFailing(): boolean;
}

/** What the exporters of all signals have in common. */
export interface Exporter<Item> {
  export(items: Item, done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
  forceFlush(): Promise<void>;
}

/**
 * Counts the records in the queue of a batch processor, which itself only drops those above its limit. Has the same
 * order of events as that queue: a record is added, or a batch taken.
 */
export class QueueCount {
  dropped = 0;
  #waiting = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(): void {
    if (this.#waiting >= this.#most) this.dropped += 1;
    else this.#waiting += 1;
  }

  take(records: number): void {
    this.#waiting = Math.max(0, this.#waiting - records);
  }
}

/** @param report called once when a signal begins to fail, and once when it is accepted again */
export function createCollectorWatch(
  report: (signal: Signal, failure: Error | undefined) => void,
): CollectorWatch {
  const states = new Map<Signal, { ok: number; failed: number; isFailing: boolean; queue?: QueueCount }>();
  return {
    watch(signal, exporter, queue) {
      const state = { ok: 0, failed: 0, isFailing: false, ...(queue && { queue }) };
      states.set(signal, state);
      return {
        export(items, done) {
          if (Array.isArray(items)) queue?.take(items.length);
          exporter.export(items, (result) => {
            const hasFailed = result.code !== ExportResultCode.SUCCESS;
            if (hasFailed) state.failed += 1;
            else state.ok += 1;
            if (hasFailed !== state.isFailing)
              report(signal, hasFailed ? (result.error ?? new Error("unknown error")) : undefined);
            state.isFailing = hasFailed;
            done(result);
          });
        },
        shutdown: () => exporter.shutdown(),
        forceFlush: () => exporter.forceFlush(),
      };
    },
    counts: () =>
      [...states].map(([signal, { ok, failed, queue }]) => ({
        signal,
        ok,
        failed,
        dropped: queue?.dropped ?? 0,
      })),
    isFailing: () => [...states.values()].some(({ isFailing }) => isFailing),
  };
}
