/** What is reported about a call that has ended, for its access log line and its spans. */
import type { AttemptNote } from "@gateway/shared/usage/log";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import type { ReceivedCall } from "#relay/core/call.ts";

export interface CallReport {
  readonly received: ReceivedCall;
  /** The log row, as it was booked. */
  readonly record: CallRecord;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  /** Provider and name of the channel that served the call; undefined when none did. */
  readonly provider: string | undefined;
  readonly channel: string | undefined;
  readonly attempts: readonly ReportedAttempt[];
}

export interface ReportedAttempt {
  readonly note: AttemptNote;
  /** Undefined for an attempt of another node. */
  readonly provider: string | undefined;
}

/** Receives each call once, when its bill is closed. Called on the hot path: it must not throw or wait. */
export interface CallReporter {
  ended(report: CallReport): void;
}
