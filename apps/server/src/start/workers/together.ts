import { AggregatorRegistry } from "prom-client";
import type { LogLine } from "#platform/log.ts";
import type { MetricReport, Metrics } from "#platform/metrics.ts";
import type { WorkerLink } from "./link.ts";
import { CHANGES, LOG, METRICS } from "./topics.ts";

/** What is asked of one worker and answered for all. */

/** Metrics whose text is the sum over all workers. */
export function metricsTogether(link: WorkerLink, own: Metrics): Metrics {
  link.onReport(METRICS, () => own.values());
  return {
    ...own,
    async text() {
      const reports = (await link.gather(METRICS)) as MetricReport[];
      return AggregatorRegistry.aggregate(reports).metrics();
    },
  };
}

/** The latest lines of all workers' logs, oldest first. */
export function logTogether(link: WorkerLink, own: (count: number) => LogLine[]) {
  link.onReport(LOG, (count) => own(Number(count)));
  return async (count: number): Promise<LogLine[]> => {
    const reports = (await link.gather(LOG, count)) as LogLine[][];
    return reports
      .flat()
      .sort((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0))
      .slice(-count);
  };
}

/** Ends when all workers have taken in what was announced before: the next request may come to any of them. */
export function caughtUpTogether(link: WorkerLink, own: () => Promise<void>) {
  link.onReport(CHANGES, own);
  return async (): Promise<void> => {
    await link.gather(CHANGES);
  };
}
