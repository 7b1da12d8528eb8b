/** The log row of a call, from what its bill knows. */
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { innermostLevel, labelOf } from "#domain/tokens/derived-keys/derived-access.ts";
import { now } from "#platform/clock.ts";
import type { CachedCall, PlannedCall, PricingTerms, ReceivedCall, RoutedCall } from "#relay/core/call.ts";
import type { Attempts } from "./attempts.ts";
import type { CallCharge } from "./call-end.ts";

/** How a call ended. */
export type CallEnding = Pick<CallRecord, "outcome" | "status" | "errorCode">;

interface RecordInput {
  readonly type: CallRecord["type"];
  readonly ending: CallEnding;
  readonly charge: CallCharge;
  /** Whether the model exists for this caller. */
  readonly isModelKnown: boolean;
  readonly received: ReceivedCall;
  readonly startedAt: number;
  readonly planned: PlannedCall | undefined;
  readonly routed: RoutedCall | CachedCall | undefined;
  readonly attempts: Attempts;
}

export function createCallRecord({
  type,
  ending: { outcome, status, errorCode },
  charge: { usage, points, estimated, bill },
  isModelKnown,
  received,
  startedAt,
  planned,
  routed,
  attempts,
}: RecordInput): CallRecord {
  const { caller } = received;
  const target = routed !== undefined && "target" in routed ? routed.target : undefined;
  const terms = routed === undefined ? undefined : termsOf(routed);
  const model = planned?.model ?? received.model;
  const { firstByteAt } = attempts;
  return {
    requestId: received.requestId,
    createdAt: new Date(startedAt),
    userId: caller.userId,
    username: caller.username,
    tokenId: caller.tokenId,
    tokenName: caller.tokenName,
    // A call that no channel served belongs to the last one that was tried, so that its failure counts there.
    channelId: target?.channel.id ?? attempts.lastChannelId ?? 0,
    group: terms?.group ?? caller.group,
    backupGroup: terms?.backup ?? false,
    modelName: terms?.billedModel ?? (isModelKnown ? model : ""),
    upstreamModel: terms?.upstreamModel ?? "",
    endpoint: received.endpoint,
    isStream: received.stream,
    content: "",
    requestTimeMs: now() - startedAt,
    firstByteTimeMs: firstByteAt === undefined ? 0 : firstByteAt - startedAt,
    sourceIp: received.ip,
    priceVersionId: terms?.price.versionId ?? 0,
    attempts: attempts.notes,
    paused: attempts.paused,
    skipped: attempts.skipped,
    billingTag: caller.billingTag,
    session: received.sessionNote?.(),
    derivedKey: caller.derived && { id: innermostLevel(caller.derived).id, label: labelOf(caller.derived) },
    cacheHit: routed !== undefined && "terms" in routed && routed.byGateway !== true,
    partlyReserved: target !== undefined && target.channel.preCost !== 1,
    type,
    outcome,
    status,
    errorCode,
    usage,
    quota: points,
    estimated,
    bill,
  };
}

/** Returns the terms of the target, or those under which a cached response was made. */
export function termsOf(routed: RoutedCall | CachedCall): PricingTerms {
  return "target" in routed ? routed.target : routed.terms;
}
