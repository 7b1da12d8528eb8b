/**
 * A counter and a histogram for the hot path. They add up plain numbers, which reach the registry when it is
 * read: prom-client's own ones build and hash an object of labels for each observation.
 */
import { Counter, type Histogram, type Registry } from "prom-client";

/**
 * Creates a counter.
 * @returns a function that adds to the count of the given label values, in order
 */
export function createFastCounter(
  { name, help, labelNames }: { name: string; help: string; labelNames: readonly string[] },
  registry: Registry,
): (by: number, ...values: string[]) => void {
  const sums = new Map<string, { labels: Record<string, string>; sum: number }>();
  const counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      for (const { labels, sum } of sums.values()) counter.inc(labels, sum);
      sums.clear();
    },
  });
  return (by, ...values) => {
    const key = values.join("\n");
    const known = sums.get(key);
    if (known !== undefined) known.sum += by;
    else sums.set(key, { labels: labelsOf(labelNames, values), sum: by });
  };
}

/** Upper limits of the buckets of times, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Creates a histogram of seconds.
 * @returns a function that adds an observation with the given label values, in order
 */
export function createFastHistogram(
  { name, help, labelNames }: { name: string; help: string; labelNames: readonly string[] },
  registry: Registry,
): (seconds: number, ...values: string[]) => void {
  const known = new Map<string, { labels: Record<string, string>; counts: Float64Array; sum: number }>();
  const values = () =>
    [...known.values()].flatMap(({ labels, counts, sum }) => {
      let count = 0;
      const buckets = [...SECONDS, "+Inf" as const].map((le, at) => {
        count += counts[at] ?? 0;
        return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...buckets,
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
  const metric = {
    name,
    get: async () => ({ name, help, type: "histogram", aggregator: "sum", values: values() }),
  };
  registry.registerMetric(metric as unknown as Histogram);
  return (seconds, ...labelValues) => {
    const key = labelValues.join("\n");
    let times = known.get(key);
    if (times === undefined) {
      const counts = new Float64Array(SECONDS.length + 1);
      known.set(key, (times = { labels: labelsOf(labelNames, labelValues), counts, sum: 0 }));
    }
    let at = 0;
    while (at < SECONDS.length && seconds > (SECONDS[at] ?? 0)) at += 1;
    times.counts[at] = (times.counts[at] ?? 0) + 1;
    times.sum += seconds;
  };
}

function labelsOf(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((label, index) => [label, values[index] ?? ""]));
}
