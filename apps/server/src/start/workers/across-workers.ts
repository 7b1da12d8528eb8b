import { AggregatorRegistry } from "prom-client";
import type { LogLine } from "#platform/log/log.ts";
import type { MetricReport, Metrics } from "#platform/metrics/metrics.ts";
import type { WorkerLink } from "./link.ts";
import { CHANGES, LOG, METRICS } from "./topics.ts";

/** Metrics whose text is the sum over all workers. */
export function sumMetrics(link: WorkerLink, own: Metrics): Metrics {
  link.onReport(METRICS, () => own.values());
  return {
    ...own,
    async text() {
      const reports = (await link.gather(METRICS)) as MetricReport[];
      return AggregatorRegistry.aggregate(reports).metrics();
    },
  };
}

/** Returns the latest log lines of all workers, oldest first. */
export function collectLogLines(link: WorkerLink, own: (count: number) => LogLine[]) {
  link.onReport(LOG, (count) => own(Number(count)));
  return async (count: number): Promise<LogLine[]> => {
    const reports = (await link.gather(LOG, count)) as LogLine[][];
    return reports
      .flat()
      .sort((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0))
      .slice(-count);
  };
}

/** Resolves when all workers have processed earlier announcements. The next request may reach any of them. */
export function waitForWorkers(link: WorkerLink, own: () => Promise<void>) {
  link.onReport(CHANGES, own);
  return async (): Promise<void> => {
    await link.gather(CHANGES);
  };
}
