import type { Worker } from "node:cluster";
import type { MetricReport } from "#platform/metrics/metrics.ts";

/**
 * Counters of ended workers. Without them, the sum over all workers would drop when one is replaced. A
 * monitoring system would take that for a restart and count everything again.
 */
export interface Totals {
  /** Stores the latest report of a worker. */
  reported(worker: Worker, report: MetricReport): void;
  ended(worker: Worker): Promise<void>;
  /** Returns one report, or none. */
  ofEnded(): MetricReport[];
}

const growing = new Set(["counter", "histogram"]);

export function createTotals(): Totals {
  const latest = new Map<number, MetricReport>();
  let ofEnded: MetricReport | undefined;
  return {
    reported(worker, report) {
      latest.set(worker.id, report);
    },
    async ended(worker) {
      const report = latest.get(worker.id)?.filter(({ type }) => growing.has(String(type)));
      latest.delete(worker.id);
      if (report === undefined) return;
      // Loaded lazily, because most primary processes never need it.
      const { AggregatorRegistry } = await import("prom-client");
      ofEnded =
        ofEnded === undefined
          ? report
          : await AggregatorRegistry.aggregate([ofEnded, report]).getMetricsAsJSON();
    },
    ofEnded: () => (ofEnded === undefined ? [] : [ofEnded]),
  };
}
