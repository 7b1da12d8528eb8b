import type { HrTime } from "@opentelemetry/api";
import { ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricReport } from "#platform/metrics/metrics.ts";

type Report = MetricReport[number];
type ReportedValue = { labels: Record<string, string | number>; value: number; metricName?: string };
type Times = { startTime: HrTime; endTime: HrTime };

const SCOPE = { name: "gateway" };

/**
 * Offers the metrics of /metrics to OpenTelemetry, with the same names and labels.
 * @param values returns the metrics of this process
 */
export function createMetricProducer(values: () => Promise<MetricReport>): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    async collect(): Promise<CollectionResult> {
      const report = await values();
      const times = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = report.flatMap((metric) => dataOf(metric, times) ?? []);
      return {
        // The reader replaces it with its own.
        resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: SCOPE, metrics }] },
        errors: [],
      };
    },
  };
}

function dataOf(metric: Report, times: Times): MetricData | undefined {
  const values = (metric as unknown as { values: readonly ReportedValue[] }).values;
  if (values.length === 0) return undefined;
  const { name, help } = metric;
  const base = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => values.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
  switch (String(metric.type)) {
    case "counter":
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case "gauge":
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case "histogram":
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) };
    default:
      return undefined;
  }
}

function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return "s";
  return /_bytes(_total)?$/.test(name) ? "By" : "";
}

interface Buckets {
  attributes: Record<string, string | number>;
  boundaries: number[];
  /** As Prometheus counts: each bucket contains those below it. */
  cumulative: number[];
  sum: number;
  count: number;
}

/** Joins the lines of Prometheus' histograms: one per bucket, the sum, and the count. */
function histograms(values: readonly ReportedValue[], times: Times) {
  const found = new Map<string, Buckets>();
  for (const { labels, value, metricName = "" } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(
      Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
    let buckets = found.get(key);
    if (buckets === undefined)
      found.set(key, (buckets = { attributes, boundaries: [], cumulative: [], sum: 0, count: 0 }));
    if (metricName.endsWith("_sum")) buckets.sum = value;
    else if (metricName.endsWith("_count")) buckets.count = value;
    else if (le !== undefined) {
      if (le !== "+Inf") buckets.boundaries.push(Number(le));
      buckets.cumulative.push(value);
    }
  }
  return [...found.values()].map(({ attributes, boundaries, cumulative, sum, count }) => ({
    ...times,
    attributes,
    value: {
      buckets: { boundaries, counts: cumulative.map((until, at) => until - (cumulative[at - 1] ?? 0)) },
      sum,
      count,
    },
  }));
}
