import type { Logger } from "pino";
import type { CallReport, CallReporter } from "#relay/core/billing/call-report.ts";

/** Writes one line for each call: who called what, who served it, how it ended and what it cost. No content. */
export function createAccessLog(log: Pick<Logger, "info">): CallReporter {
  return { ended: (report) => log.info(accessLine(report), "call") };
}

/** Returns the fields of a call's line. Times are in milliseconds. */
export function accessLine({ received, record, endedAt, provider, channel, attempts }: CallReport) {
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
