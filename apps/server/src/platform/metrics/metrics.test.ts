import { AggregatorRegistry, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { createMetrics, type MeasuredCall } from "./metrics.ts";
import { createModelLabels } from "./model-labels.ts";

const name = "gateway_call_duration_seconds";
const linesOf = (text: string) => text.split("\n").filter((line) => line.includes(name));

const call: MeasuredCall = {
  endpoint: "/v1/messages",
  model: "demo-chat",
  status: 200,
  outcome: "complete",
  errorCode: "",
  durationMs: 20,
  firstByteMs: 0,
};

it("writes the duration of calls as prom-client's own histogram does", async () => {
  const registry = new Registry();
  const own = new Histogram({
    name,
    help: "Time from the request to the last byte of the response.",
    labelNames: ["endpoint", "model"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers: [registry],
  });
  const metrics = createMetrics();
  for (const [endpoint, durationMs] of [
    ["/v1/chat/completions", 3],
    ["/v1/chat/completions", 5],
    ["/v1/messages", 700],
    ["/v1/chat/completions", 400_000],
  ] as const) {
    own.observe({ endpoint, model: "demo-chat" }, durationMs / 1_000);
    metrics.call({ ...call, endpoint, durationMs });
  }
  expect(linesOf(await metrics.text())).toEqual(linesOf(await registry.metrics()));
});

it("adds up the durations of several workers", async () => {
  const workers = [createMetrics(), createMetrics()];
  for (const metrics of workers) metrics.call(call);
  const all = AggregatorRegistry.aggregate(await Promise.all(workers.map((metrics) => metrics.values())));
  expect(linesOf(await all.metrics())).toContain(
    `${name}_count{endpoint="/v1/messages",model="demo-chat"} 2`,
  );
});

it("a watched value is absent while it cannot be read, and the other metrics are written", async () => {
  const metrics = createMetrics();
  metrics.watch({ name: "gateway_away", help: "Away.", read: async () => Promise.reject(new Error("away")) });
  metrics.watch({ name: "gateway_there", help: "There.", read: async () => [[2, { kind: "used" }]] });
  const text = await metrics.text();
  expect(text).toContain('gateway_there{kind="used"} 2');
  expect(text).not.toMatch(/^gateway_away/m);
});

it("watched values of several workers are combined by their aggregator", async () => {
  const workers = [3, 5].map((value) => {
    const metrics = createMetrics();
    metrics.watch({ name: "gateway_sum", help: "Sum.", read: async () => [[value]] });
    metrics.watch({ name: "gateway_max", help: "Max.", aggregator: "max", read: async () => [[value]] });
    return metrics;
  });
  const all = AggregatorRegistry.aggregate(await Promise.all(workers.map((metrics) => metrics.values())));
  const text = await all.metrics();
  expect(text).toMatch(/^gateway_sum 8$/m);
  expect(text).toMatch(/^gateway_max 5$/m);
});

it("only models that the operator configured have a label, and only as many as fit", () => {
  const labelOf = createModelLabels((model) => model.startsWith("own-"), 2);
  expect(["own-a", "invented", "", undefined, "own-b", "own-c", "own-a"].map(labelOf)).toEqual([
    "own-a",
    "other",
    "other",
    "other",
    "own-b",
    "other",
    "own-a",
  ]);
});

it("the delay of the event loop does not contain the interval between two samples", async () => {
  const metrics = createMetrics();
  const delay = async (share: string) => {
    const text = await metrics.text();
    return Number(new RegExp(`^nodejs_eventloop_lag_${share}_seconds (\\S+)$`, "m").exec(text)?.[1]);
  };
  const delayWhenBlocked = () => {
    const until = performance.now() + 1_000;
    while (performance.now() < until);
    return delay("max");
  };
  await expect.poll(delayWhenBlocked, { timeout: 20_000 }).toBeGreaterThan(0.4);
  // An interval is half a second.
  await expect.poll(() => delay("min"), { timeout: 20_000 }).toBeLessThan(0.3);
});
