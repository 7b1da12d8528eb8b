import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/**
 * Metrics that Prometheus reads at /metrics. Labels are bounded: endpoints, statuses and channels, never a
 * name that a client chose.
 */
export interface Metrics {
  call(endpoint: string, status: number, durationMs: number, firstByteMs: number): void;
  attempt(provider: string, channelId: number, result: string): void;
  used(usage: { input: number; output: number }, points: bigint): void;
  streams: { inc(): void; dec(): void };
  /** Counts one response of the management API, by its true status. */
  consoleAnswer(method: string, status: number): void;
  /** Counts one batch of the ledger, with the number of calls that began or ended in it. */
  batch(steps: number, milliseconds: number): void;
  /** Counts long calls that got a checkpoint. */
  checkpoints(calls: number): void;
  /** Counts a call whose bodies should have been kept but were not. */
  bodiesDropped(): void;
  text(): Promise<string>;
  /** Returns the same as data, so that several processes can be summed. */
  values(): Promise<MetricReport>;
  contentType: string;
}

export type MetricReport = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The delay of the event loop is sampled this often. The library's 10 ms would wake an idle process all the time. */
const LOOP_SAMPLE_MS = 500;

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Values that are read when Prometheus scrapes. */
interface MetricSources {
  memory: { readonly capacity: number; readonly used: number };
  /** Changes announced by other nodes or the console, and whether they could be loaded. */
  reloads: {
    stale(): { topic: string; forMs: number }[];
    failures(): ReadonlyMap<string, number>;
  };
}

export function createMetrics({ memory, reloads }: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  const registers = [registry];
  watchReloads(reloads, registers);
  watchMemory(memory, registers);
  const calls = countUp(
    "gateway_calls_total",
    "Calls by endpoint and status.",
    ["endpoint", "status"],
    registers,
  );
  const duration = timesOf(
    "gateway_call_duration_seconds",
    "Time from the request to the last byte of the response.",
    registry,
  );
  const firstByte = timesOf(
    "gateway_first_byte_seconds",
    "Time from the request to the first byte of the response.",
    registry,
  );
  const attempts = countUp(
    "gateway_upstream_attempts_total",
    "Upstream calls by provider, channel and result.",
    ["provider", "channel_id", "result"],
    registers,
  );
  const tokens = countUp("gateway_tokens_total", "Tokens billed.", ["direction"], registers);
  const points = countUp("gateway_points_total", "Points charged.", [], registers);
  const streams = new Gauge({ name: "gateway_open_streams", help: "Streams in progress.", registers });
  const dropped = new Counter({
    name: "gateway_bodies_dropped_total",
    help: "Calls whose recorded bodies were not stored because the database was too slow.",
    registers,
  });
  const batches = new Histogram({
    name: "gateway_ledger_batch_seconds",
    help: "Time of one batch of the ledger: one statement, committed.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const shared = new Histogram({
    name: "gateway_ledger_batch_steps",
    help: "Calls that were reserved or settled in one batch of the ledger.",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  });
  const checkpoints = new Counter({
    name: "gateway_checkpoints_total",
    help: "Checkpoints written for calls longer than five seconds.",
    registers,
  });
  const consoleAnswers = new Counter({
    name: "gateway_console_answers_total",
    help: "Responses of the management API by method and status.",
    labelNames: ["method", "status"],
    registers,
  });
  return {
    consoleAnswer: (method, status) => consoleAnswers.inc({ method, status }),
    batch(steps, milliseconds) {
      batches.observe(milliseconds / 1_000);
      shared.observe(steps);
    },
    checkpoints: (written) => checkpoints.inc(written),
    bodiesDropped: () => dropped.inc(),
    call(endpoint, status, durationMs, firstByteMs) {
      calls(1, endpoint, String(status));
      duration(endpoint, durationMs / 1_000);
      if (firstByteMs > 0) firstByte(endpoint, firstByteMs / 1_000);
    },
    attempt(provider, channelId, result) {
      attempts(1, provider, String(channelId), result);
    },
    used(usage, charged) {
      tokens(usage.input, "input");
      tokens(usage.output, "output");
      points(Number(charged));
    },
    streams: { inc: () => streams.inc(), dec: () => streams.dec() },
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

function watchMemory(memory: MetricSources["memory"], registers: Registry[]): void {
  const budget = new Gauge({
    name: "gateway_memory_budget_bytes",
    help: "Memory that requests and responses use, and its limit.",
    labelNames: ["kind"],
    registers,
    collect() {
      budget.set({ kind: "used" }, memory.used);
      budget.set({ kind: "capacity" }, memory.capacity);
    },
  });
}

/**
 * Creates a counter for the hot path. It adds up plain numbers, which are copied to Prometheus' own counter
 * when it is read.
 * @returns a function that adds to the count of the given label values, in order
 */
function countUp(
  name: string,
  help: string,
  labelNames: string[],
  registers: Registry[],
): (by: number, ...values: string[]) => void {
  const sums = new Map<string, { labels: Record<string, string>; sum: number }>();
  const counter = new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      for (const { labels, sum } of sums.values()) counter.inc(labels, sum);
      sums.clear();
    },
  });
  return (by, ...values) => {
    const key = values.join("\n");
    const known = sums.get(key);
    if (known !== undefined) known.sum += by;
    else {
      const labels = Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? ""]));
      sums.set(key, { labels, sum: by });
    }
  };
}

/**
 * Creates a histogram of seconds by endpoint for the hot path. It counts plain numbers, and is rendered when
 * Prometheus reads it.
 */
function timesOf(
  name: string,
  help: string,
  registry: Registry,
): (endpoint: string, seconds: number) => void {
  const known = new Map<string, { counts: Float64Array; sum: number }>();
  const values = () =>
    [...known].flatMap(([endpoint, { counts, sum }]) => {
      let count = 0;
      const buckets = [...SECONDS, "+Inf" as const].map((le, at) => {
        count += counts[at] ?? 0;
        return { labels: { le, endpoint }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...buckets,
        { labels: { endpoint }, value: sum, metricName: `${name}_sum` },
        { labels: { endpoint }, value: count, metricName: `${name}_count` },
      ];
    });
  const metric = {
    name,
    get: async () => ({ name, help, type: "histogram", aggregator: "sum", values: values() }),
  };
  registry.registerMetric(metric as unknown as Histogram);
  return (endpoint, seconds) => {
    let times = known.get(endpoint);
    if (times === undefined)
      known.set(endpoint, (times = { counts: new Float64Array(SECONDS.length + 1), sum: 0 }));
    let at = 0;
    while (at < SECONDS.length && seconds > (SECONDS[at] ?? 0)) at += 1;
    times.counts[at] = (times.counts[at] ?? 0) + 1;
    times.sum += seconds;
  };
}

function watchReloads(reloads: MetricSources["reloads"], registers: Registry[]): void {
  const failures = new Counter({
    name: "gateway_reload_failures_total",
    help: "Failed attempts to load a change of settings, prices, groups, channels, tokens or users.",
    labelNames: ["topic"],
    registers,
    collect() {
      failures.reset();
      for (const [topic, count] of reloads.failures()) failures.inc({ topic }, count);
    },
  });
  const stale = new Gauge({
    name: "gateway_reload_stale_seconds",
    help: "Age of the oldest change of a topic that is not loaded yet; absent if all changes are loaded.",
    labelNames: ["topic"],
    aggregator: "max",
    registers,
    collect() {
      stale.reset();
      for (const { topic, forMs } of reloads.stale()) stale.set({ topic }, forMs / 1_000);
    },
  });
}
