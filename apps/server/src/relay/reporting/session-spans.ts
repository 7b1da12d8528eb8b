import type { Attributes, SpanContext } from "@opentelemetry/api";
import type { Usage } from "#dialects/ir.ts";
import { usageCounts } from "#dialects/usage/tokens.ts";
import { now } from "#platform/clock.ts";
import type { SpanWriter } from "#platform/telemetry/span-writer.ts";
import type { CallReport } from "#relay/core/billing/call-report.ts";
import type { SessionEnd } from "#relay/core/call.ts";
import { type SpanOfCall, writeAttempts } from "./attempt-spans.ts";
import { callAttributes, type Charge, chargeAttributes, chargeOf, operationOf } from "./gen-ai-attributes.ts";

/** Of an upgraded connection. */
const SWITCHING_PROTOCOLS = 101;

/**
 * The spans of a realtime session: one for the session, which is written when it ends, and below it one for each attempt and
 * each response. The span of the session has the sums of its responses, under the names that calls have. Those of a
 * response have other names, so that sums over all spans count nothing twice.
 */
export class SessionSpans {
  readonly #spans: SpanWriter;
  readonly #trace: SpanOfCall & { readonly parent: SpanContext | undefined };
  readonly #options: { pointsPerUsd(): number };
  /** The report with the attempts to open the session. */
  #opening: CallReport | undefined;
  #usage: Usage | undefined;
  #isEstimated = false;
  #quota = 0n;
  #charge: Charge = { points: 0, usd: 0, costUsd: undefined };
  #responses = 0;

  constructor(
    spans: SpanWriter,
    trace: SpanOfCall & { readonly parent: SpanContext | undefined },
    options: { pointsPerUsd(): number },
  ) {
    this.#spans = spans;
    this.#trace = trace;
    this.#options = options;
  }

  /** Takes a response that has ended, or the session's own log row. */
  add(report: CallReport): void {
    const { record, attempts } = report;
    if (attempts.length > 0) this.#opening = report;
    const charge = chargeOf(record, this.#options.pointsPerUsd());
    this.#quota += record.quota;
    this.#charge = {
      points: this.#charge.points + charge.points,
      usd: this.#charge.usd + charge.usd,
      costUsd: sumOf(this.#charge.costUsd, charge.costUsd),
    };
    this.#isEstimated ||= record.estimated;
    if (record.usage !== undefined) this.#usage = sumOfUsage(this.#usage, record.usage);
    // The reservation for a response that was never requested has nothing to show.
    if (record.outcome !== "failed" && isUnused(record)) return;
    this.#responses += 1;
    this.#writeResponse(report, charge);
  }

  #writeResponse({ received, record, endedAt }: CallReport, charge: Charge): void {
    const { usage } = record;
    const optional = {
      "gen_ai.response.model": record.upstreamModel || undefined,
      "gateway.billed_model": record.modelName || undefined,
      "gateway.time_to_first_byte": record.firstByteTimeMs > 0 ? record.firstByteTimeMs / 1_000 : undefined,
      "gateway.response.input_tokens": usage?.input,
      "gateway.response.output_tokens": usage?.output,
      "error.type": errorOf(record),
    };
    const attributes: Attributes = {
      "gateway.request.id": record.requestId,
      "gateway.outcome": record.outcome,
      ...chargeAttributes(charge, "gateway.response"),
    };
    for (const [name, value] of Object.entries(optional)) if (value !== undefined) attributes[name] = value;
    const { context } = this.#trace;
    this.#spans.write({
      context: this.#spans.below(context),
      parent: context,
      name: `response ${received.model}`,
      kind: "internal",
      startedAt: record.createdAt.getTime(),
      endedAt,
      attributes,
      error: errorOf(record),
    });
  }

  /** Writes the span of the session, and those of its attempts. */
  end({ outcome, errorCode }: SessionEnd): void {
    if (this.#opening === undefined) return;
    const { received, record: opened } = this.#opening;
    const record = {
      ...opened,
      outcome,
      errorCode,
      status: SWITCHING_PROTOCOLS,
      usage: this.#usage,
      estimated: this.#isEstimated,
      quota: this.#quota,
      // Each response has its own.
      bill: null,
      modelName: "",
      firstByteTimeMs: 0,
    };
    const report: CallReport = { ...this.#opening, record, endedAt: now() };
    const { context, parent } = this.#trace;
    this.#spans.write({
      context,
      parent,
      name: `${operationOf(received)} ${received.model}`,
      kind: "server",
      startedAt: received.startedAt,
      endedAt: report.endedAt,
      attributes: {
        ...callAttributes(report, this.#options.pointsPerUsd()),
        ...chargeAttributes(this.#charge),
        "gateway.session.responses": this.#responses,
      },
      error: errorOf(record),
    });
    writeAttempts(this.#spans, report, this.#trace);
  }
}

function isUnused({ usage, quota }: CallReport["record"]): boolean {
  return quota === 0n && (usage === undefined || usage.input + usage.output === 0);
}

function errorOf({ outcome, errorCode }: Pick<CallReport["record"], "outcome" | "errorCode">) {
  return outcome === "complete" ? undefined : errorCode || outcome;
}

function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one + other;
}

function sumOfUsage(total: Usage | undefined, usage: Usage): Usage {
  if (total === undefined) return usage;
  const summed: Usage = { ...total };
  for (const kind of usageCounts) {
    const sum = sumOf(total[kind], usage[kind]);
    if (sum !== undefined) summed[kind] = sum;
  }
  return summed;
}
