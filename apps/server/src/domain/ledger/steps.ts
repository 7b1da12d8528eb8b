import type { CallRecord } from "./call-record.ts";

/** What a batch of the ledger is made of: calls that begin, calls that end, and leases that are given back. */

export interface ReserveInput {
  requestId: string;
  userId: number;
  /** 0 when no token is involved. */
  tokenId: number;
  amount: bigint;
  tokenAmount: bigint;
  /** The reservation needs a row of its own, because another node may close it. */
  own?: boolean;
}

/** What one call, or one lease, wants of a batch. */
export type Step =
  | { begin: ReserveInput; end?: never; give?: never; mark?: never }
  | { begin?: never; end: CallRecord; place?: Place; give?: never; mark?: never }
  | { begin?: never; end?: never; give: Lease; mark?: never }
  /** The first checkpoint of a call in a lease. */
  | { begin?: never; end?: never; give?: never; mark: CallRecord; place: Place };

/** Whose rows a step wants. */
export function payerOf(step: Step): { userId: number; tokenId: number } {
  return step.begin ?? step.end ?? step.give ?? step.mark;
}

/** Whose leases: of an account, of one token, or all. */
export type LeaseOwner = { userId: number } | { tokenId: number } | "all";

export interface Lease {
  readonly id: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly limited: boolean;
  /** 0 until the database has it. */
  version: number;
  /** Points that the database has for it. */
  points: bigint;
  /** Points of its open calls. */
  reserved: bigint;
  /** No more calls begin in it. */
  closing: boolean;
  /** A batch with it was sent, and its answer was lost. */
  unsure: boolean;
  /** A step that gives it back is under way. */
  giving: boolean;
}

/** An open call. */
export interface Place {
  readonly key: Key;
  amount: bigint;
  /** Undefined with a reservation of its own, which a long call gets with its first checkpoint. */
  lease: Lease | undefined;
  /** A statement that moves it out of its lease was sent, and it is not known yet whether it took effect. */
  splitting: boolean;
  /** Its end is on its way to the database. */
  ending: boolean;
  /** It has ended. */
  left: boolean;
}

/** One token's calls on this node, or those of an account without a token. */
export interface Key {
  readonly id: number;
  readonly userId: number;
  readonly tokenId: number;
  /** Points of open calls, in a lease or not. */
  open: bigint;
  openCalls: number;
  /** Points of the last call. */
  last: bigint;
  /** Whether the last call counted against the token's own quota. */
  limited: boolean;
  usedAt: number;
  /** Calls since it was idle. */
  calls: number;
  lease: Lease | undefined;
  /** No new lease before. */
  notBefore: number;
}
