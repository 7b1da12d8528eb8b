import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { watchEventLoop } from "./event-loop.ts";
import { createFastCounter, createFastHistogram } from "./fast-metrics.ts";

/**
 * Metrics that Prometheus reads at /metrics, and that are sent over OTLP. Labels are bounded: endpoints, statuses,
 * channels and models that the operator configured (model-labels.ts), never a name that a client chose.
 */
export interface Metrics {
  call(ended: MeasuredCall): void;
  attempt(provider: string, channelId: number, result: string, durationMs: number): void;
  /** Counts what a call was charged for. */
  used(usage: MeasuredTokens, points: bigint, model: string): void;
  streams: { inc(): void; dec(): void };
  /** Counts one error response to an AI client, whether the request became a call or not. */
  errorResponse(code: string, reason: string): void;
  /** Counts one response of the management API, by its true status. */
  consoleAnswer(method: string, status: number): void;
  /** Counts one batch of the ledger, with the number of calls that began or ended in it. */
  batch(steps: number, milliseconds: number): void;
  /** Counts long calls that got a checkpoint. */
  checkpoints(calls: number): void;
  /** Counts a call whose bodies should have been kept but were not. */
  bodiesDropped(): void;
  /** Counts one run of a recurring job. */
  jobRun(job: string, hasSucceeded: boolean, milliseconds: number): void;
  /** Adds a metric whose values are read when the metrics are. */
  watch(metric: WatchedMetric): void;
  text(): Promise<string>;
  /** Returns the same as data, so that several processes can be summed. */
  values(): Promise<MetricReport>;
  contentType: string;
}

export interface MeasuredCall {
  endpoint: string;
  /** See model-labels.ts. */
  model: string;
  status: number;
  outcome: string;
  /** "" for a complete call. */
  errorCode: string;
  durationMs: number;
  /** 0 without a response. */
  firstByteMs: number;
}

/** Tokens of a call. All kinds are parts of `input` or `output`. */
export interface MeasuredTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  readonly reasoning?: number;
  readonly audioInput?: number;
  readonly audioOutput?: number;
  readonly imageInput?: number;
  readonly imageOutput?: number;
}

export interface WatchedMetric {
  name: string;
  help: string;
  /** Default: "gauge". */
  type?: "gauge" | "counter";
  /** How the values of several workers become one. Default: "sum". */
  aggregator?: "sum" | "max" | "min" | "first";
  /** Returns the current values; none while it is unknown. A rejection counts as unknown. */
  read(): Promise<readonly MetricValue[]>;
}

export type MetricValue = readonly [value: number, labels?: Record<string, string>];

export type MetricReport = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The library's own sampling of the event loop is not used (`event-loop.ts`), so it must not wake the process. */
const NEVER_MS = 24 * 3_600_000;

/**
 * Gauges of the library whose names end like those of counters, which `promtool check metrics` rejects. The same
 * values by type remain.
 */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

const tokenKinds = [
  ["cacheRead", "cache_read"],
  ["cacheWrite5m", "cache_write"],
  ["cacheWrite1h", "cache_write"],
  ["reasoning", "reasoning"],
  ["audioInput", "audio_input"],
  ["audioOutput", "audio_output"],
  ["imageInput", "image_input"],
  ["imageOutput", "image_output"],
] as const;

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  watchEventLoop(registry);
  for (const name of misnamed) registry.removeSingleMetric(name);
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    createFastCounter({ name, help, labelNames }, registry);
  const seconds = (name: string, help: string, ...labelNames: string[]) =>
    createFastHistogram({ name, help, labelNames }, registry);
  const streams = new Gauge({
    name: "gateway_open_streams",
    help: "Streams in progress.",
    registers: [registry],
  });
  return {
    ...callMetrics(counter, seconds),
    ...ledgerMetrics(counter, registry),
    ...jobMetrics(counter, registry),
    streams: { inc: () => streams.inc(), dec: () => streams.dec() },
    watch: (metric) => watch(metric, registry),
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

type NewMetric<Add> = (name: string, help: string, ...labelNames: string[]) => Add;
type NewCounter = NewMetric<ReturnType<typeof createFastCounter>>;
type NewHistogram = NewMetric<ReturnType<typeof createFastHistogram>>;

function callMetrics(
  counter: NewCounter,
  seconds: NewHistogram,
): Pick<Metrics, "call" | "attempt" | "used" | "errorResponse" | "consoleAnswer"> {
  const calls = counter("gateway_calls_total", "Calls by endpoint and status.", "endpoint", "status");
  const outcomes = counter(
    "gateway_call_outcomes_total",
    "Calls by how they ended; the error code is empty for complete ones.",
    "outcome",
    "error_code",
  );
  const duration = seconds(
    "gateway_call_duration_seconds",
    "Time from the request to the last byte of the response.",
    "endpoint",
    "model",
  );
  const firstByte = seconds(
    "gateway_first_byte_seconds",
    "Time from the request to the first byte of the response.",
    "endpoint",
    "model",
  );
  const attempts = counter(
    "gateway_upstream_attempts_total",
    "Upstream calls by provider, channel and result.",
    "provider",
    "channel_id",
    "result",
  );
  const attemptSeconds = seconds(
    "gateway_upstream_attempt_seconds",
    "Time from the start of an attempt to the first byte of its response, or to its failure.",
    "provider",
  );
  const tokens = counter("gateway_tokens_total", "Tokens billed.", "direction", "model");
  const byKind = counter(
    "gateway_tokens_by_kind_total",
    "Tokens billed that are cached, reasoning, audio or images; all are part of gateway_tokens_total.",
    "kind",
    "model",
  );
  const points = counter("gateway_points_total", "Points charged.", "model");
  const errors = counter(
    "gateway_error_responses_total",
    "Error responses to AI clients, by code and reason.",
    "code",
    "reason",
  );
  const consoleAnswers = counter(
    "gateway_console_answers_total",
    "Responses of the management API by method and status.",
    "method",
    "status",
  );
  return {
    call({ endpoint, model, status, outcome, errorCode, durationMs, firstByteMs }) {
      calls(1, endpoint, String(status));
      outcomes(1, outcome, errorCode);
      duration(durationMs / 1_000, endpoint, model);
      if (firstByteMs > 0) firstByte(firstByteMs / 1_000, endpoint, model);
    },
    attempt(provider, channelId, result, durationMs) {
      attempts(1, provider, String(channelId), result);
      attemptSeconds(durationMs / 1_000, provider);
    },
    used(usage, charged, model) {
      tokens(usage.input, "input", model);
      tokens(usage.output, "output", model);
      points(Number(charged), model);
      for (const [field, kind] of tokenKinds) {
        const count = usage[field];
        if (count !== undefined && count > 0) byKind(count, kind, model);
      }
    },
    errorResponse: (code, reason) => errors(1, code, reason),
    consoleAnswer: (method, status) => consoleAnswers(1, method, String(status)),
  };
}

function ledgerMetrics(
  counter: NewCounter,
  registry: Registry,
): Pick<Metrics, "batch" | "checkpoints" | "bodiesDropped"> {
  const registers = [registry];
  const batches = new Histogram({
    name: "gateway_ledger_batch_seconds",
    help: "Time of one batch of the ledger: one statement, committed.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const steps = new Histogram({
    name: "gateway_ledger_batch_steps",
    help: "Calls that were reserved or settled in one batch of the ledger.",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  });
  const checkpoints = counter(
    "gateway_checkpoints_total",
    "Checkpoints written for calls longer than five seconds.",
  );
  const dropped = counter(
    "gateway_bodies_dropped_total",
    "Calls whose recorded bodies were not stored because the database was too slow.",
  );
  return {
    batch(calls, milliseconds) {
      batches.observe(milliseconds / 1_000);
      steps.observe(calls);
    },
    checkpoints: (written) => checkpoints(written),
    bodiesDropped: () => dropped(1),
  };
}

function jobMetrics(counter: NewCounter, registry: Registry): Pick<Metrics, "jobRun"> {
  const runs = counter("gateway_job_runs_total", "Runs of recurring jobs by result.", "job_name", "result");
  const time = counter("gateway_job_run_seconds_total", "Time spent in runs of a recurring job.", "job_name");
  const succeededAt = new Gauge({
    name: "gateway_job_last_success_timestamp_seconds",
    help: "When a run of the job on this node last succeeded, in seconds since 1970.",
    labelNames: ["job_name"],
    aggregator: "max",
    registers: [registry],
  });
  return {
    jobRun(job, hasSucceeded, milliseconds) {
      runs(1, job, hasSucceeded ? "ok" : "failed");
      time(milliseconds / 1_000, job);
      if (hasSucceeded) succeededAt.setToCurrentTime({ job_name: job });
    },
  };
}

function watch(
  { name, help, type = "gauge", aggregator = "sum", read }: WatchedMetric,
  registry: Registry,
): void {
  const values = async () => {
    try {
      return (await read()).map(([value, labels = {}]) => ({ value, labels }));
    } catch {
      return [];
    }
  };
  const metric = { name, get: async () => ({ name, help, type, aggregator, values: await values() }) };
  registry.registerMetric(metric as unknown as Gauge);
}
