import type { Worker } from "node:cluster";
import type { MetricReport } from "#platform/metrics.ts";

/**
 * The counters of workers that have ended. Without them a sum over the workers would fall when one is replaced, which
 * a monitoring system takes for a restart and counts everything again.
 */
export interface Totals {
  /** The latest report of a worker. */
  reported(worker: Worker, report: MetricReport): void;
  ended(worker: Worker): Promise<void>;
  /** One report, or none. */
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
      // Most primary processes never need it.
      const { AggregatorRegistry } = await import("prom-client");
      ofEnded =
        ofEnded === undefined
          ? report
          : await AggregatorRegistry.aggregate([ofEnded, report]).getMetricsAsJSON();
    },
    ofEnded: () => (ofEnded === undefined ? [] : [ofEnded]),
  };
}
