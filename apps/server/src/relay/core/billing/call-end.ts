/** The ways in which a call ends, and what its log row says about them. */
import type { ErrorCode } from "@gateway/shared/errors";
import type { Reason } from "@gateway/shared/reasons";
import type { CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import { GatewayError, reasonOfError } from "#errors.ts";
import type { CachedCall, ProviderOutcome, RoutedCall } from "#relay/core/call.ts";

/** A call that reached a provider, and how it ended. */
export interface EndedCall {
  readonly routed: RoutedCall | CachedCall;
  readonly outcome: ProviderOutcome;
  readonly reported: Usage | undefined;
  readonly delivered: CharacterCount;
  /** Our own count of more than text. Used when the provider reports no usage. */
  readonly counted?: Usage | undefined;
  /** `reported` is the provider's final report, although the client did not read it. */
  readonly final?: boolean;
  /** For the log, when the response was not broken off by the provider. */
  readonly errorCode?: ErrorCode | undefined;
  /** Multiplier of a price per call, where more or less was delivered than requested. */
  readonly calls?: number;
  /** Maximum usage of what was delivered, where that is more than was requested. */
  readonly estimate?: Estimate;
}

/** What was delivered to the client so far, and the usage reported so far. */
export type CallProgress = Pick<EndedCall, "reported" | "delivered" | "counted">;

/** A response of which parts may have been delivered. */
export interface ResponseInProgress {
  /** Returns undefined until something was delivered. */
  progress(): CallProgress | undefined;
}

/** How a pass-through call ended. */
export interface PassThroughEnd {
  readonly outcome: EndedCall["outcome"];
  /** Status of the provider. */
  readonly status: number;
  /** Content of the log row. */
  readonly content?: Reason;
}

/** Status of a call whose response was not delivered whole. */
export const brokenStatus = { "client-left": 499, "upstream-died": 502, interrupted: 503 } as const;

/** The charge of a call, for its log row. */
export type CallCharge = Pick<CallRecord, "usage" | "estimated" | "bill"> & { points: bigint };

export const noCharge: CallCharge = { usage: undefined, points: 0n, estimated: false, bill: null };

/** Returns the HTTP status of an error. */
export function statusOf(error: unknown): number {
  return error instanceof GatewayError ? error.status : 500;
}

/** Returns the log content of a failure. A provider's message has no further facts. */
export function contentOf(error: unknown): Pick<CallRecord, "content" | "contentFacts"> {
  if (!(error instanceof GatewayError)) return { content: "" };
  const { text, facts } = reasonOfError(error);
  return error.params["reason"] === "provider_message"
    ? { content: text }
    : { content: text, contentFacts: facts };
}
