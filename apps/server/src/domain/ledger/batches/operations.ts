/** Items of a ledger batch: calls that begin, calls that end, first checkpoints, and leases. */
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";

export interface ReserveInput {
  requestId: string;
  userId: number;
  /** 0 when no token is involved. */
  tokenId: number;
  /** Points. */
  amount: bigint;
  /** Points of a token with a quota of its own. 0n: `amount`, if the database knows a quota of the token. */
  tokenAmount: bigint;
  /** Requires a reservation row of its own, because another node may close it. */
  own?: boolean;
  /** Whether to wait for other calls of the session or derived key that have reserved the rest. Default: yes. */
  waitsForOthers?: boolean;
  /** The session whose budget the call counts against. It then has a reservation row of its own. */
  session?: SessionShare | undefined;
  /** The derived keys whose amounts the call counts against, outermost first. It then has a reservation row of its own. */
  derivedKeys?: readonly DerivedKeyShare[] | undefined;
}

/** A derived key of a call: what its row contains if this is its first call, and the most that it may spend. */
export interface DerivedKeyShare {
  /** Row of derived_keys. */
  id: string;
  /** The derived key before it; undefined for the first one. */
  parentId: string | undefined;
  label: string;
  /** Points that it may spend; undefined = no limit. */
  limit: bigint | undefined;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** The part of a session's budget that one call may use. */
export interface SessionShare {
  /** Row of session_budgets. */
  id: number;
  /** Points that the session may spend according to this call. */
  limit: bigint;
}

/** One item of a batch, for one call or one lease. */
export type LedgerOperation = ReserveOperation | SettleOperation | ReturnOperation | CheckpointOperation;

interface ReserveOperation {
  readonly kind: "reserve";
  readonly input: ReserveInput;
}

export interface SettleOperation {
  readonly kind: "settle";
  readonly record: CallRecord;
  /** Undefined for a call whose reservation another node has made. */
  readonly call?: ReservedCall | undefined;
  readonly onLate?: LateHandler | undefined;
}

/** Gives back the points of a lease that open calls do not need. */
interface ReturnOperation {
  readonly kind: "return";
  readonly lease: Lease;
}

/** Writes the first checkpoint of a call in a lease. */
export interface CheckpointOperation {
  readonly kind: "checkpoint";
  readonly record: CallRecord;
  readonly call: ReservedCall;
}

/** Called when the end of a call could not be written in time. Returns whether to go on trying. */
export type LateHandler = () => boolean;

/** Returns the user and token whose rows an operation updates. */
export function payerOf(operation: LedgerOperation): { userId: number; tokenId: number } {
  switch (operation.kind) {
    case "reserve":
      return operation.input;
    case "return":
      return operation.lease;
    case "settle":
    case "checkpoint":
      return operation.record;
  }
}

/** Selects the leases of an account, of one token, or all. */
export type LeaseSelector = { userId: number } | { tokenId: number } | "all";

/**
 * A row of `reservations` that belongs to no call: points that a node has reserved for the next calls of one key, so that
 * these begin without a statement. Only its own node changes it, in batches of one shard, and each batch names the version
 * that it read. A batch that took effect although its response was lost therefore cannot take effect again.
 */
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
  isClosing: boolean;
  /** A batch that included it was sent and its response was lost. */
  isUncertain: boolean;
  /** An operation that gives it back is in progress. */
  isReturning: boolean;
  /** When its first charge was made that is not booked to the account yet. */
  unbookedSince: number | undefined;
}

/** A batch's request for one lease. */
export interface LeaseRequest {
  id: string;
  /** Version that the node knows; 0 for a lease that does not exist yet. */
  version: number;
  user_id: number;
  token_id: number;
  /** The lease also counts against the token's own quota. */
  limited: boolean;
  /** Points to keep when the lease is given back, for its open calls. Null while it stays active. */
  keep: string | null;
  /** Points to top up to; 0 only books its charges; null while it has enough. */
  target: string | null;
  /** Minimum points for a new lease to be useful. */
  smallest: string;
}

/**
 * Result for one lease, with its current points. `stale` means that its key is no longer eligible.
 * `denied` means that there is no such lease. A lease without a row has another version or is gone.
 */
export interface LeaseRow {
  ord: number;
  verdict: "lease" | "stale" | "denied";
  most: bigint;
}

/** An open call. */
export interface ReservedCall {
  readonly key: KeyState;
  amount: bigint;
  /** Undefined for a call with its own reservation. A long call gets one with its first checkpoint. */
  lease: Lease | undefined;
  /** The call counts against the budget of a session. */
  readonly inSession: boolean;
  /** A statement that moves the call out of its lease was sent; its outcome is not known yet. */
  isSplitting: boolean;
  /** An operation that ends the call is in progress. */
  isEnding: boolean;
  /** The call has ended. */
  hasEnded: boolean;
}

/** State of one token's calls on this node, or of an account's calls without a token. */
export interface KeyState {
  readonly id: number;
  readonly userId: number;
  readonly tokenId: number;
  /** Points of open calls, inside or outside a lease. */
  open: bigint;
  openCalls: number;
  /** Points reserved for the last call. */
  lastAmount: bigint;
  /** Whether the last call counted against the token's own quota. */
  limited: boolean;
  usedAt: number;
  /** Number of calls since the key was last idle. */
  calls: number;
  lease: Lease | undefined;
  /** Calls that a top-up of the lease covers beyond the open ones. */
  spareCalls: number;
  /** When the lease was last topped up. */
  refilledAt: number;
  /** Earliest time for a new lease. */
  noLeaseBefore: number;
}
