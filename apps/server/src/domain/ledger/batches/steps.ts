import type { CallRecord } from "#domain/ledger/calls/call-record.ts";

/** Items of a ledger batch: calls that begin, calls that end, first checkpoints, and leases to give back. */

export interface ReserveInput {
  requestId: string;
  userId: number;
  /** 0 when no token is involved. */
  tokenId: number;
  amount: bigint;
  tokenAmount: bigint;
  /** Requires a reservation row of its own, because another node may close it. */
  own?: boolean;
  /** False: other calls of the session are not waited for. */
  isPatient?: boolean;
  /** The session whose budget the call counts against. It then has a reservation row of its own. */
  session?: SessionShare | undefined;
}

/** The part of a session's budget that one call may use. */
export interface SessionShare {
  /** Row of session_budgets. */
  id: number;
  /** Points that the session may spend according to this call. */
  limit: bigint;
}

/** One item of a batch, for one call or one lease. */
export type Step =
  | { begin: ReserveInput; end?: never; give?: never; mark?: never }
  | { begin?: never; end: CallRecord; place?: Place; late?: Late; give?: never; mark?: never }
  | { begin?: never; end?: never; give: Lease; mark?: never }
  /** The first checkpoint of a call in a lease. */
  | { begin?: never; end?: never; give?: never; mark: CallRecord; place: Place };

/** Called when the end of a call could not be written in time. Returns whether to go on trying. */
export type Late = () => boolean;

/** Returns the user and token whose rows a step updates. */
export function payerOf(step: Step): { userId: number; tokenId: number } {
  return step.begin ?? step.end ?? step.give ?? step.mark;
}

/** Selects the leases of an account, of one token, or all. */
export type LeaseOwner = { userId: number } | { tokenId: number } | "all";

export interface Lease {
  readonly id: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly limited: boolean;
  /** 0 until it is stored in the database. */
  version: number;
  /** Points of the lease in the database. */
  points: bigint;
  /** Points reserved for its open calls. */
  reserved: bigint;
  /** No more calls may begin in this lease. */
  closing: boolean;
  /** A batch that included it was sent and its response was lost. */
  unsure: boolean;
  /** A step that gives it back is in progress. */
  giving: boolean;
  /** When its first charge was made that is not booked to the account yet. */
  unbookedSince: number | undefined;
}

/** An open call. */
export interface Place {
  readonly key: Key;
  amount: bigint;
  /** Undefined for a call with its own reservation. A long call gets one with its first checkpoint. */
  lease: Lease | undefined;
  /** The call counts against the budget of a session. */
  readonly inSession: boolean;
  /** A statement that moves the call out of its lease was sent; its outcome is not known yet. */
  splitting: boolean;
  /** A step that ends the call is in progress. */
  ending: boolean;
  /** The call has ended. */
  left: boolean;
}

/** State of one token's calls on this node, or of an account's calls without a token. */
export interface Key {
  readonly id: number;
  readonly userId: number;
  readonly tokenId: number;
  /** Points of open calls, inside or outside a lease. */
  open: bigint;
  openCalls: number;
  /** Points reserved for the last call. */
  last: bigint;
  /** Whether the last call counted against the token's own quota. */
  limited: boolean;
  usedAt: number;
  /** Number of calls since the key was last idle. */
  calls: number;
  lease: Lease | undefined;
  /** Calls that a top-up of the lease covers beyond the open ones. */
  spare: number;
  /** When the lease was last topped up. */
  toppedAt: number;
  /** Earliest time for a new lease. */
  notBefore: number;
}
