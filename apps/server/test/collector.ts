import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Attributes of OTLP's JSON, as plain values. */
export type Attributes = Record<string, unknown>;

export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  startMs: number;
  endMs: number;
  status: { code?: number; message?: string };
  attributes: Attributes;
}

export interface ReceivedMetric {
  name: string;
  unit: string;
  kind: "sum" | "gauge" | "histogram";
  points: { attributes: Attributes; value: number; count: number; bucketCounts: number[] }[];
}

export interface ReceivedLog {
  body: unknown;
  severity: string;
  traceId: string | undefined;
  attributes: Attributes;
}

/** A stand-in for an OpenTelemetry collector: decodes what arrives as OTLP's JSON. */
export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  /** The latest report of each metric. */
  metrics: Map<string, ReceivedMetric>;
  logs: ReceivedLog[];
  resource: Attributes;
  /** Everything that arrived, as text. */
  text(): string;
  /** Paths and content types of the requests. */
  requests: { path: string; type: string; bytes: number; authorization: string | undefined }[];
  /** How requests are answered: normally, with a 503, or never. */
  mode: "accept" | "refuse" | "hang";
  /** Forgets what has arrived. */
  forget(): void;
  close(): Promise<void>;
}

interface Value {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values?: Value[] };
}
type Pairs = { key: string; value: Value }[] | undefined;

function valueOf({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return (arrayValue.values ?? []).map(valueOf);
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
}

function attributesOf(pairs: Pairs): Attributes {
  return Object.fromEntries((pairs ?? []).map(({ key, value }) => [key, valueOf(value)]));
}

const milliseconds = (nanos: string) => Number(BigInt(nanos) / 1_000_000n);

/** What the tests read of the JSON of OTLP: https://opentelemetry.io/docs/specs/otlp/ */
interface SpanBody {
  resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
}
interface SentSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: ReceivedSpan["status"];
  attributes?: Pairs;
}
interface MetricBody {
  resourceMetrics: { scopeMetrics: { metrics: SentMetric[] }[] }[];
}
type MetricKind = "sum" | "gauge" | "histogram";
type SentMetric = { name: string; unit?: string } & Partial<Record<MetricKind, { dataPoints: SentPoint[] }>>;
interface SentPoint {
  attributes?: Pairs;
  asDouble?: number;
  asInt?: string;
  sum?: number;
  count?: string;
  bucketCounts?: string[];
}
interface LogBody {
  resourceLogs: { scopeLogs: { logRecords: SentLog[] }[] }[];
}
interface SentLog {
  body: Value;
  severityText: string;
  traceId?: string;
  attributes?: Pairs;
}

function readSpans(body: SpanBody): ReceivedSpan[] {
  return body.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        startMs: milliseconds(span.startTimeUnixNano),
        endMs: milliseconds(span.endTimeUnixNano),
        status: span.status ?? {},
        attributes: attributesOf(span.attributes),
      })),
    ),
  );
}

function readMetrics(body: MetricBody): ReceivedMetric[] {
  return body.resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map((metric) => {
        const kind =
          (["sum", "gauge", "histogram"] as const).find((name) => metric[name] !== undefined) ?? "sum";
        return {
          name: metric.name,
          unit: metric.unit ?? "",
          kind,
          points: (metric[kind]?.dataPoints ?? []).map((point) => ({
            attributes: attributesOf(point.attributes),
            value: Number(point.asDouble ?? point.asInt ?? point.sum),
            count: Number(point.count ?? 0),
            bucketCounts: (point.bucketCounts ?? []).map(Number),
          })),
        };
      }),
    ),
  );
}

function readLogs(body: LogBody): ReceivedLog[] {
  return body.resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map((record) => ({
        body: valueOf(record.body),
        severity: record.severityText,
        traceId: record.traceId || undefined,
        attributes: attributesOf(record.attributes),
      })),
    ),
  );
}

export async function startCollector(): Promise<Collector> {
  let texts: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const whole = Buffer.concat(pieces);
      const type = request.headers["content-type"] ?? "";
      const { authorization } = request.headers;
      collector.requests.push({ path: request.url ?? "", type, bytes: whole.length, authorization });
      if (collector.mode === "hang") return;
      if (collector.mode === "refuse") {
        response.writeHead(400).end();
        return;
      }
      if (type === "application/json") take(request.url ?? "", whole.toString());
      response.writeHead(200, { "content-type": type }).end(type === "application/json" ? "{}" : "");
    });
  });

  function take(path: string, text: string): void {
    texts.push(text);
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    const body: any = JSON.parse(text);
    const [[first] = []] = Object.values<{ resource: { attributes: Pairs } }[]>(body);
    collector.resource = attributesOf(first?.resource.attributes);
    if (path.endsWith("/v1/traces")) collector.spans.push(...readSpans(body));
    if (path.endsWith("/v1/logs")) collector.logs.push(...readLogs(body));
    if (path.endsWith("/v1/metrics"))
      for (const metric of readMetrics(body)) collector.metrics.set(metric.name, metric);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: new Map(),
    logs: [],
    resource: {},
    text: () => texts.join("\n"),
    requests: [],
    mode: "accept",
    forget() {
      texts = [];
      Object.assign(collector, { spans: [], metrics: new Map(), logs: [], requests: [] });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return collector;
}
