import {
  type Attributes,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  type IdGenerator,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
} from "@opentelemetry/sdk-trace";

/** A span that is over. */
export interface EndedSpan {
  context: SpanContext;
  parent: SpanContext | undefined;
  name: string;
  kind: "server" | "client" | "internal";
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  /** Undefined for a successful one. */
  error: string | undefined;
}

/**
 * Writes spans of work that is over, so that nothing has to be done for them while it runs. Their ids are created
 * beforehand: other systems may have seen them by then.
 */
export interface SpanWriter {
  /** Continues the trace in the headers of a request, or begins one. */
  begin(
    headers: Readonly<Record<string, unknown>>,
    name: string,
  ): { context: SpanContext; parent: SpanContext | undefined };
  /** Returns the context of a span below the given one. */
  below(context: SpanContext): SpanContext;
  /** Returns the headers that continue the trace elsewhere. */
  headersOf(context: SpanContext): Record<string, string>;
  write(span: EndedSpan): void;
}

/** Gives the next span the ids that were created for it. */
export class PreparedIds implements IdGenerator {
  next: SpanContext | undefined;
  readonly #random = new RandomIdGenerator();
  generateTraceId = (): string => this.next?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.next?.spanId ?? this.#random.generateSpanId();
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** @param tracer uses `ids`, and records every span: those of traces that are not sampled are not written */
export function createSpanWriter(tracer: Tracer, ids: PreparedIds, sampler: Sampler): SpanWriter {
  const propagator = new W3CTraceContextPropagator();

  return {
    begin(headers, name) {
      const outer = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const parent = trace.getSpanContext(outer);
      const traceId = parent?.traceId ?? ids.generateTraceId();
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the linter sees two declarations of one enum
      const { decision } = sampler.shouldSample(outer, traceId, name, SpanKind.SERVER, {}, []);
      const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED;
      const context: SpanContext = {
        traceId,
        spanId: ids.generateSpanId(),
        traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
        ...(parent?.traceState && { traceState: parent.traceState }),
      };
      return { context, parent };
    },
    below: (context) => ({ ...context, spanId: ids.generateSpanId() }),
    headersOf(context) {
      const headers: Record<string, string> = {};
      propagator.inject(trace.setSpanContext(ROOT_CONTEXT, context), headers, {
        set: (carrier, name, value) => {
          carrier[name] = value;
        },
      });
      return headers;
    },
    write({ context, parent, name, kind, startedAt, endedAt, attributes, error }) {
      if ((context.traceFlags & TraceFlags.SAMPLED) === 0) return;
      const outer = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      ids.next = context;
      const span = tracer.startSpan(name, { kind: kinds[kind], startTime: startedAt, attributes }, outer);
      ids.next = undefined;
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(Math.max(startedAt, endedAt));
    },
  };
}
