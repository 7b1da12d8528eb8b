import type { Attributes, SpanContext } from "@opentelemetry/api";
import type { SpanWriter } from "#platform/telemetry/span-writer.ts";
import { conventionName } from "#providers/convention-name.ts";
import type { CallReport, CallReporter, ReportedAttempt } from "#relay/core/billing/call-report.ts";
import type { Tracing } from "#relay/core/services.ts";
import { MAX_CONTENT, RecordedTrace, type TracingOptions } from "./call-trace.ts";
import { callAttributes, finishReasonIn, operationOf } from "./gen-ai-attributes.ts";

export interface CallSpansOptions extends TracingOptions {
  /** The site's rate. */
  pointsPerUsd(): number;
}

/**
 * Writes the spans of calls that have ended: one for the call, and below it one for each attempt. They are made of the
 * call's log row, with the times in it.
 */
export function createCallSpans(spans: SpanWriter, options: CallSpansOptions): CallReporter & Tracing {
  return {
    begin: (headers) => new RecordedTrace(spans, headers, options),
    ended(report) {
      const { trace: begun } = report.received;
      const trace = begun instanceof RecordedTrace ? begun : new RecordedTrace(spans, {}, options);
      if (!trace.isSampled) return;
      trace.afterResponse(() => {
        writeCall(spans, report, trace, options);
        writeAttempts(spans, report, trace);
      });
    },
  };
}

function writeCall(
  spans: SpanWriter,
  report: CallReport,
  trace: RecordedTrace,
  { withContent, pointsPerUsd }: CallSpansOptions,
): void {
  const { received, record, endedAt } = report;
  const { context, parent } = trace;
  const attributes = callAttributes(report, pointsPerUsd());
  const finish = finishReasonIn(trace.end);
  if (finish !== undefined) attributes["gen_ai.response.finish_reasons"] = [finish];
  if (withContent) {
    if (received.raw !== undefined)
      attributes["gateway.request.body"] = received.raw.toString("utf8", 0, MAX_CONTENT);
    attributes["gateway.response.body"] = trace.begin;
  }
  spans.write({
    context,
    parent,
    name: `${operationOf(received)} ${received.model}`.trim(),
    kind: "server",
    startedAt: record.createdAt.getTime(),
    endedAt,
    attributes,
    error: record.outcome === "complete" ? undefined : record.errorCode || record.outcome,
  });
}

function writeAttempts(
  spans: SpanWriter,
  { received, record, endedAt, attempts }: CallReport,
  trace: RecordedTrace,
): void {
  for (const [index, attempt] of attempts.entries()) {
    const { note } = attempt;
    const startedAt = received.startedAt + (note.begun ?? 0);
    const isLast = index === attempts.length - 1;
    // The note of a successful attempt is made when the response begins.
    const isServing = isLast && note.result === "ok";
    const context: SpanContext = trace.attempts[index] ?? spans.below(trace.context);
    spans.write({
      context,
      parent: trace.context,
      name: `${operationOf(received)} ${record.upstreamModel || received.model}`.trim(),
      kind: "client",
      startedAt,
      endedAt: isServing ? endedAt : startedAt + note.duration,
      attributes: attemptAttributes(attempt, isServing ? record.upstreamModel : ""),
      error: note.result === "ok" ? undefined : note.result,
    });
  }
}

function attemptAttributes({ note, provider }: ReportedAttempt, model: string): Attributes {
  const attributes: Attributes = {
    "gateway.channel.id": note.channel_id,
    "gateway.channel.name": note.channel_name,
  };
  if (provider !== undefined) attributes["gen_ai.provider.name"] = conventionName(provider);
  if (model !== "") attributes["gen_ai.request.model"] = model;
  if (note.status > 0) attributes["http.response.status_code"] = note.status;
  if (note.result !== "ok") attributes["error.type"] = note.result;
  if (note.upstream_request_id !== undefined)
    attributes["gateway.upstream.request_id"] = note.upstream_request_id;
  return attributes;
}
