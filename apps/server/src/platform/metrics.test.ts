import { AggregatorRegistry, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

const watched = {
  memory: { capacity: 1, used: 0 },
  reloads: { stale: () => [], failures: () => new Map<string, number>() },
};
const name = "gateway_call_duration_seconds";
const linesOf = (text: string) => text.split("\n").filter((line) => line.includes(name));

it("writes the duration of calls as prom-client's own histogram does", async () => {
  const registry = new Registry();
  const own = new Histogram({
    name,
    help: "Time from the request to the last byte of the response.",
    labelNames: ["endpoint"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers: [registry],
  });
  const metrics = createMetrics(watched);
  for (const [endpoint, ms] of [
    ["/v1/chat/completions", 3],
    ["/v1/chat/completions", 5],
    ["/v1/messages", 700],
    ["/v1/chat/completions", 400_000],
  ] as const) {
    own.observe({ endpoint }, ms / 1_000);
    metrics.call(endpoint, 200, ms, 0);
  }
  expect(linesOf(await metrics.text())).toEqual(linesOf(await registry.metrics()));
});

it("adds up the durations of several workers", async () => {
  const workers = [createMetrics(watched), createMetrics(watched)];
  for (const metrics of workers) metrics.call("/v1/messages", 200, 20, 0);
  const all = AggregatorRegistry.aggregate(await Promise.all(workers.map((metrics) => metrics.values())));
  expect(linesOf(await all.metrics())).toContain(`${name}_count{endpoint="/v1/messages"} 2`);
});
