import type { Logger } from "pino";
import type { LogWriter } from "#platform/telemetry/log-writer.ts";
import type { CallReport, CallReporter } from "#relay/core/billing/call-report.ts";
import { RecordedTrace } from "./call-trace.ts";

/**
 * Writes one line for each call: who called what, who served it, how it ended and what it cost. No content.
 * @param logs sends the lines to a collector, too
 */
export function createAccessLog(log: Pick<Logger, "info">, logs: LogWriter | undefined): CallReporter {
  return {
    ended(report) {
      const line = lineOf(report);
      log.info(line, "call");
      const { trace } = report.received;
      logs?.call(line, trace instanceof RecordedTrace ? trace.context : undefined);
    },
  };
}

/** Returns the fields of a call's line. Times are in milliseconds. */
function lineOf({ received, record, endedAt, provider, channel, attempts }: CallReport) {
  const { usage } = record;
  return {
    reqId: record.requestId,
    clientReqId: received.clientRequestId,
    endpoint: record.endpoint,
    status: record.status,
    outcome: record.outcome,
    code: record.errorCode || undefined,
    model: received.model,
    upstreamModel: record.upstreamModel || undefined,
    provider,
    channelId: record.channelId || undefined,
    channel,
    attempts: attempts.length,
    stream: record.isStream,
    ms: endedAt - record.createdAt.getTime(),
    firstByteMs: record.firstByteTimeMs || undefined,
    inputTokens: usage?.input,
    outputTokens: usage?.output,
    points: Number(record.quota),
    userId: record.userId,
    tokenId: record.tokenId,
    ip: record.sourceIp,
  };
}
