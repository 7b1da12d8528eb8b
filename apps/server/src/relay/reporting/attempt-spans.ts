import type { Attributes, SpanContext } from "@opentelemetry/api";
import type { SpanWriter } from "#platform/telemetry/span-writer.ts";
import { conventionName } from "#providers/convention-name.ts";
import type { CallReport, ReportedAttempt } from "#relay/core/billing/call-report.ts";
import { operationOf } from "./gen-ai-attributes.ts";

/** The span of a call, and the contexts of the attempts that were announced to providers, in order. */
export interface SpanOfCall {
  readonly context: SpanContext;
  readonly attempts: readonly SpanContext[];
}

/** Writes a span for each attempt, below that of the call. */
export function writeAttempts(
  spans: SpanWriter,
  { received, record, endedAt, attempts }: CallReport,
  trace: SpanOfCall,
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
