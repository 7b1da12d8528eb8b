/** Asks a collector whether it accepts what the gateway sends, with exports that contain nothing. */
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPLogExporter as JsonLogs } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufLogs } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { emptyResource } from "@opentelemetry/resources";
import type { Exporter } from "./collector-watch.ts";
import type { Signal, TelemetrySettings } from "./telemetry-settings.ts";

/** What a collector did with an export of one signal. */
export interface CollectorProbe {
  signal: Signal;
  /** Without credentials and parameters. */
  address: string;
  /** Undefined when it was accepted. */
  failure: Error | undefined;
}

/** Of each signal. The exporters repeat a failed request until then. */
const patienceMs = 10_000;

/** Sends an empty export of each signal that is configured, as the gateway sends its own. Never rejects. */
export async function probeCollector({ endpoints, encoding }: TelemetrySettings): Promise<CollectorProbe[]> {
  const isJson = encoding === "json";
  const probes = [
    probe("traces", endpoints.traces, [], (given) =>
      isJson ? new JsonTraces(given) : new ProtobufTraces(given),
    ),
    probe("metrics", endpoints.metrics, { resource: emptyResource(), scopeMetrics: [] }, (given) =>
      isJson ? new JsonMetrics(given) : new ProtobufMetrics(given),
    ),
    probe("logs", endpoints.logs, [], (given) => (isJson ? new JsonLogs(given) : new ProtobufLogs(given))),
  ];
  return (await Promise.all(probes)).flat();
}

async function probe<Item>(
  signal: Signal,
  url: string | undefined,
  nothing: Item,
  createExporter: (options: { url: string; timeoutMillis: number }) => Exporter<Item>,
): Promise<CollectorProbe[]> {
  if (url === undefined) return [];
  const { origin, pathname } = new URL(url);
  const exporter = createExporter({ url, timeoutMillis: patienceMs });
  const { code, error } = await new Promise<ExportResult>((resolve) => exporter.export(nothing, resolve));
  await exporter.shutdown().catch(() => undefined);
  const failure = code === ExportResultCode.SUCCESS ? undefined : (error ?? new Error("no reason was given"));
  return [{ signal, address: `${origin}${pathname}`, failure }];
}
