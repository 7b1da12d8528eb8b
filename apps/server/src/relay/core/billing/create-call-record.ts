/** The log row of a call, from what is known about it and how it ended. */
import type { ErrorCode } from "@gateway/shared/errors";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { innermostLevel, labelOf } from "#domain/tokens/derived-keys/derived-access.ts";
import { GatewayError, reasonOfError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { ProviderOutcome } from "#relay/core/call.ts";
import type { CallConnection } from "#relay/core/upstream/call-connection.ts";
import { type CallCharge, type CallState, targetOf, termsOf } from "./compute-charge.ts";

/** How a call ended. */
type CallEnding = Pick<CallRecord, "outcome" | "status" | "errorCode">;

interface EndInput {
  readonly type: CallRecord["type"];
  readonly ending: CallEnding;
  readonly charge: CallCharge;
  /** Whether the model exists for this caller. Default: the call was planned. */
  readonly isModelKnown?: boolean | undefined;
}

export function createCallRecord(
  state: CallState,
  {
    type,
    ending: { outcome, status, errorCode },
    charge: { usage, points, estimated, bill },
    isModelKnown = state.planned !== undefined,
  }: EndInput,
): CallRecord {
  const { received, startedAt, planned, routed, attempts } = state;
  const { caller } = received;
  const target = targetOf(state);
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

export const noCharge: CallCharge = { usage: undefined, points: 0n, estimated: false, bill: null };

/** Returns the log row of a call that failed. @param isModelKnown whether the model exists for this caller */
export function createFailureRecord(state: CallState, error: unknown, isModelKnown?: boolean): CallRecord {
  const isKnown = error instanceof GatewayError;
  const ending = {
    outcome: "failed",
    status: isKnown ? error.status : 500,
    errorCode: isKnown ? error.code : "internal",
  } as const;
  const record = createCallRecord(state, { type: 5, ending, charge: noCharge, isModelKnown });
  if (!isKnown) return record;
  const { text, facts } = reasonOfError(error);
  // A provider's message has no further facts.
  return error.params["reason"] === "provider_message"
    ? { ...record, content: text }
    : { ...record, content: text, contentFacts: facts };
}

/** Status of a call whose response was not delivered whole. */
export const brokenStatus = { "client-left": 499, "upstream-died": 502, interrupted: 503 } as const;

/**
 * Returns how a call that reached a provider ended for its client: a complete response that its client did not wait for
 * was read only for its usage, and a call that we cancelled ended for the reason of that.
 */
export function outcomeFor(
  { left, isInterrupted }: Pick<CallConnection, "left" | "isInterrupted">,
  outcome: ProviderOutcome,
): ProviderOutcome {
  if (outcome === "complete") return left ? "client-left" : outcome;
  return outcome === "client-left" && isInterrupted ? "interrupted" : outcome;
}

/**
 * @param status of a complete response
 * @param code of a response that the provider broke off
 */
export function endingOf(
  { revoked }: Pick<CallConnection, "revoked">,
  outcome: ProviderOutcome,
  status: number,
  code: ErrorCode = "upstream_failed",
): CallEnding & { outcome: ProviderOutcome } {
  if (outcome === "complete") return { outcome, status, errorCode: "" };
  if (outcome !== "upstream-died" && revoked !== undefined)
    return { outcome, status: revoked.status, errorCode: revoked.code };
  const errorCode = outcome === "upstream-died" ? code : "";
  return { outcome, status: brokenStatus[outcome], errorCode };
}
