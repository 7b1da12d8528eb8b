/**
 * The settings of OpenTelemetry: the standard `OTEL_*` variables. The exporters themselves also read those for
 * headers, timeouts, compression and certificates.
 */
import { z } from "zod";

const signals = ["traces", "metrics", "logs"] as const;
export type Signal = (typeof signals)[number];

const exporter = z.enum(["otlp", "none"]).optional();
const endpoint = z.url({ protocol: /^https?$/, error: "must begin with http:// or https://" }).optional();
const flag = z
  .stringbool({ truthy: ["1", "true"], falsy: ["0", "false"], error: "must be true or false" })
  .optional();
const share = z.coerce.number().min(0).max(1).optional();

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export const telemetryVariables = {
  OTEL_SDK_DISABLED: flag,
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(["http/protobuf", "http/json"]).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_TRACES_EXPORTER: exporter,
  OTEL_METRICS_EXPORTER: exporter,
  OTEL_LOGS_EXPORTER: exporter,
  OTEL_TRACES_SAMPLER: z.enum(samplers).optional(),
  OTEL_TRACES_SAMPLER_ARG: share,
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(1_000).max(3_600_000).optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag,
  TRACE_CONTEXT_TO_PROVIDERS: flag,
};

type TelemetryVariables = z.infer<z.ZodObject<typeof telemetryVariables>>;

export interface TelemetrySettings {
  /** Address that receives each signal; undefined = not sent. */
  endpoints: Readonly<Record<Signal, string | undefined>>;
  encoding: "json" | "protobuf";
  sampler: (typeof samplers)[number];
  /** Share of the traces that are sent, for the samplers with a ratio. */
  samplerShare: number;
  metricIntervalMs: number;
  /** The beginnings of prompts and responses are attributes of the spans. */
  withContent: boolean;
  /** Providers receive the context of the trace. */
  toProviders: boolean;
}

const DEFAULT_ENDPOINT = "http://localhost:4318";

/** Returns undefined while nothing is sent: without an address or an exporter, or disabled. */
export function telemetrySettings(variables: TelemetryVariables): TelemetrySettings | undefined {
  if (variables.OTEL_SDK_DISABLED === true) return undefined;
  const endpoints = {
    traces: endpointOf(variables, "traces"),
    metrics: endpointOf(variables, "metrics"),
    logs: endpointOf(variables, "logs"),
  };
  if (Object.values(endpoints).every((address) => address === undefined)) return undefined;
  return {
    endpoints,
    encoding: variables.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json" ? "json" : "protobuf",
    sampler: variables.OTEL_TRACES_SAMPLER ?? "parentbased_always_on",
    samplerShare: variables.OTEL_TRACES_SAMPLER_ARG ?? 1,
    metricIntervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL ?? 60_000,
    withContent: variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? false,
    toProviders: variables.TRACE_CONTEXT_TO_PROVIDERS ?? false,
  };
}

function endpointOf(variables: TelemetryVariables, signal: Signal): string | undefined {
  const name = signal.toUpperCase() as Uppercase<Signal>;
  const wanted = variables[`OTEL_${name}_EXPORTER`];
  if (wanted === "none") return undefined;
  const own = variables[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`];
  if (own !== undefined) return own;
  const base = variables.OTEL_EXPORTER_OTLP_ENDPOINT ?? (wanted === "otlp" ? DEFAULT_ENDPOINT : undefined);
  return base === undefined ? undefined : `${base.replace(/\/$/, "")}/v1/${signal}`;
}
