/**
 * Sends traces, metrics and logs over OTLP/HTTP. Loaded only if that is configured. A collector that is slow or away
 * changes nothing for calls: each signal has a queue of limited length, and what does not fit is dropped and counted.
 */
import { hostname } from "node:os";
import { OTLPLogExporter as JsonLogs } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufLogs } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Metrics } from "#platform/metrics/metrics.ts";
import { type CollectorWatch, createCollectorWatch, QueueCount } from "./collector-watch.ts";
import { createLogWriter, type LogWriter } from "./log-writer.ts";
import { createMetricProducer } from "./metric-producer.ts";
import { createSpanWriter, PreparedIds, type SpanWriter } from "./span-writer.ts";
import type { Signal, TelemetrySettings } from "./telemetry-settings.ts";

export interface Telemetry {
  /** Undefined while traces are not sent. */
  spans: SpanWriter | undefined;
  /** Undefined while logs are not sent. */
  logs: LogWriter | undefined;
  /** Whether the collector does not accept what is sent. */
  isFailing(): boolean;
  /** Sends what waits, within a few seconds. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  settings: TelemetrySettings;
  version: string;
  /** Unique to this process. */
  instanceId: string;
  metrics: Pick<Metrics, "values" | "watch">;
  /** Called once when a signal begins to fail, and once when it is accepted again. */
  onChange(signal: Signal, failure: Error | undefined): void;
}

/** Maximum number of records of one signal that wait for the collector. */
const MAX_QUEUED = 8_192;

export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { settings, version, instanceId, metrics, onChange } = options;
  const resource = resourceFromAttributes({
    "service.name": "gateway",
    "service.version": version,
    "service.instance.id": instanceId,
    "host.name": hostname(),
    "process.pid": process.pid,
  }).merge(detectResources({ detectors: [envDetector] }));
  const sending = { settings, version, resource, watch: createCollectorWatch(onChange) };
  const traces = sendTraces(sending);
  const logs = sendLogs(sending);
  const reader = sendMetrics(sending, metrics);
  const providers = [traces?.provider, logs?.provider, reader];
  watchExports(metrics, sending.watch);
  return {
    spans: traces?.spans,
    logs: logs?.logs,
    isFailing: () => sending.watch.isFailing(),
    async close() {
      await Promise.allSettled(providers.map(async (provider) => provider?.shutdown()));
    },
  };
}

interface Sending {
  settings: TelemetrySettings;
  version: string;
  resource: Resource;
  watch: CollectorWatch;
}

const nothing = async () => undefined;
const batching = {
  maxQueueSize: MAX_QUEUED,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 1_000,
  exportTimeoutMillis: 30_000,
};

function sendTraces({ settings, version, resource, watch }: Sending) {
  const url = settings.endpoints.traces;
  if (url === undefined) return undefined;
  const queue = new QueueCount(MAX_QUEUED);
  const exporter = settings.encoding === "json" ? new JsonTraces({ url }) : new ProtobufTraces({ url });
  const count = {
    onStart: () => undefined,
    onEnd: () => queue.add(),
    forceFlush: nothing,
    shutdown: nothing,
  };
  const ids = new PreparedIds();
  const provider = new TracerProvider({
    resource,
    idGenerator: ids,
    // The sampler decides when a call begins, not when its spans are written.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      count,
      new BatchSpanProcessor({ exporter: watch.watch("traces", exporter, queue), ...batching }),
    ],
  });
  const spans = createSpanWriter(provider.getTracer("gateway", version), ids, samplerOf(settings));
  return { provider, spans };
}

function samplerOf({ sampler, samplerShare }: TelemetrySettings): Sampler {
  switch (sampler) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(samplerShare);
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerShare) });
  }
}

function sendLogs({ settings, version, resource, watch }: Sending) {
  const url = settings.endpoints.logs;
  if (url === undefined) return undefined;
  const queue = new QueueCount(MAX_QUEUED);
  const exporter = settings.encoding === "json" ? new JsonLogs({ url }) : new ProtobufLogs({ url });
  const count = { onEmit: () => queue.add(), forceFlush: nothing, shutdown: nothing };
  const provider = new LoggerProvider({
    resource,
    processors: [
      count,
      new BatchLogRecordProcessor({ exporter: watch.watch("logs", exporter, queue), ...batching }),
    ],
  });
  return { provider, logs: createLogWriter(provider.getLogger("gateway", version)) };
}

function sendMetrics({ settings, resource, watch }: Sending, metrics: Pick<Metrics, "values">) {
  const url = settings.endpoints.metrics;
  if (url === undefined) return undefined;
  const exporter = settings.encoding === "json" ? new JsonMetrics({ url }) : new ProtobufMetrics({ url });
  const reader = new PeriodicExportingMetricReader({
    exporter: watch.watch("metrics", exporter),
    exportIntervalMillis: settings.metricIntervalMs,
    exportTimeoutMillis: Math.min(settings.metricIntervalMs, 30_000),
    metricProducers: [createMetricProducer(() => metrics.values())],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

function watchExports(metrics: Pick<Metrics, "watch">, watch: CollectorWatch): void {
  metrics.watch({
    name: "gateway_telemetry_exports_total",
    help: "Exports to the OpenTelemetry collector by signal and result.",
    type: "counter",
    read: async () =>
      watch
        .counts()
        .flatMap(({ signal, ok, failed }) => [
          [ok, { signal, result: "ok" }] as const,
          [failed, { signal, result: "failed" }] as const,
        ]),
  });
  metrics.watch({
    name: "gateway_telemetry_dropped_total",
    help: "Spans and log records dropped because too many waited for the OpenTelemetry collector.",
    type: "counter",
    read: async () => watch.counts().map(({ signal, dropped }) => [dropped, { signal }] as const),
  });
}
