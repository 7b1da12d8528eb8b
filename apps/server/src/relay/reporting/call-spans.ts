import type { SpanWriter } from "#platform/telemetry/span-writer.ts";
import type { CallReport, CallReporter } from "#relay/core/billing/call-report.ts";
import type { Tracing } from "#relay/core/services.ts";
import { writeAttempts } from "./attempt-spans.ts";
import { MAX_CONTENT, RecordedTrace, type TracingOptions } from "./call-trace.ts";
import { callAttributes, finishReasonIn, operationOf } from "./gen-ai-attributes.ts";

/**
 * Writes the spans of calls that have ended: one for the call, and below it one for each attempt. They are made of the
 * call's log row, with the times in it.
 */
export function createCallSpans(spans: SpanWriter, options: TracingOptions): CallReporter & Tracing {
  return {
    begin: (headers) => new RecordedTrace(spans, headers, options),
    ended(report) {
      const { trace: begun } = report.received;
      const trace = begun instanceof RecordedTrace ? begun : new RecordedTrace(spans, {}, options);
      if (!trace.isSampled) return;
      if (trace.session !== undefined) {
        trace.session.add(report);
        return;
      }
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
  { withContent, pointsPerUsd }: TracingOptions,
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
