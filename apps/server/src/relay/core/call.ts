import type { LogSession, Outcome } from "@gateway/shared/usage/log";
import type { Usage } from "#dialects/ir.ts";
import type { ActiveChannel, ActiveKey } from "#domain/channels/selection/active-channel.ts";
import type { SessionShare } from "#domain/ledger/batches/operations.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import type { ActivePrice } from "#domain/pricing/pricing.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";
import type { Endpoint } from "#providers/provider.ts";

/** Types of a call that all parts of the relay share. Imports nothing from the relay. */

/** A call of an authenticated client: the fields common to all kinds of calls. */
export interface ReceivedCall {
  requestId: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  caller: Caller;
  pin: Pin | undefined;
  ip: string;
  /** Path shown in the log, e.g. `/v1/chat/completions`. */
  endpoint: string;
  /** Endpoint that the provider must support. */
  needs: Endpoint;
  model: string;
  stream: boolean;
  tools: boolean;
  /** Maximum usage, for the reservation. */
  estimate: Estimate;
  /** Fields removed from the request. The response lists them. */
  dropped?: readonly string[];
  /** Kind of output. Default: "text". */
  kind?: CallKind;
  /** Default: "charge". */
  books?: Books;
  /** Multiplier of a price per call, e.g. the number of images. */
  calls: number;
  /** Raw request body. Undefined for a form, which cannot be read. */
  raw?: Buffer;
  /** Aborts when the client disconnects. */
  signal: CancelSignal;
  /**
   * Memory budget. The call adds memory here before using it; the endpoint releases it after the last byte.
   */
  memory?: MemoryShare;
  /** Called once with the billed tokens when the bill is closed; 0 when nothing was used. */
  used?(tokens: number): void;
  /**
   * Called with the billed usage after the charge is committed and before the end of the response is sent.
   */
  billed?(billed: BilledUsage): void;
  /** Returns the session of the call; undefined when it belongs to none. */
  session?(): string | undefined;
  /** Returns the log's note about the session. */
  sessionNote?(): LogSession | undefined;
  /** Undefined for calls without a limit per session. */
  sessionBudget?: SessionBudget | undefined;
  /** The client does not accept a cached response. */
  fresh?: boolean;
  /**
   * Adds an output limit to a request without one. Undefined where the request cannot have a limit.
   * @param tokens for each response
   */
  limit?(this: ReceivedCall, tokens: number): void;
  /** The limit that was added, because the balance or a budget does not cover the longest response. */
  outputLimit?: number;
}

/** The budget of the session that a call belongs to. All calls of the session count against it. */
export interface SessionBudget {
  /** Identifies the session within the account. */
  session: string;
  /** Points that the session may spend according to this call. */
  limit: bigint;
  /** Set before the call is reserved. */
  share?: SessionShare;
  /** Receives headers for the client, before the response begins. */
  note?(headers: Readonly<Record<string, string>>): void;
}

/**
 * The response for the client. `frames` and `chunks` must be read to the end or left with `return()`: both
 * close the bill.
 */
export type Answer =
  | { kind: "body"; headers: Record<string, string>; body: string }
  | { kind: "stream"; headers: Record<string, string>; frames: Pieces<string> }
  | {
      kind: "bytes";
      /** Default: 200. */
      status?: number;
      headers: Record<string, string>;
      chunks: Pieces<Buffer>;
    };

/**
 * A channel chosen for the next attempt, with its group, ratio and price, so that they are looked up only
 * once.
 */
export interface PricedTarget {
  channel: ActiveChannel;
  /** Undefined for a provider without credentials. */
  key: ActiveKey | undefined;
  group: string;
  backup: boolean;
  groupRatio: string;
  upstreamModel: string;
  billedModel: string;
  price: ActivePrice;
}

/** How a call was served, without the channel and key. */
export type PricingTerms = Omit<PricedTarget, "channel" | "key">;

/** The billed usage, and how the call ended. */
export interface BilledUsage {
  usage: Usage;
  outcome: ProviderOutcome;
  served: PricingTerms;
}

/** Progress of a request at its provider. `refused` is any error response. */
export type Reach = "not sent" | "sent" | "refused" | "answering";

/** Kind of output. It decides the charge when the response is not read to its end. */
export type CallKind = "text" | "reasoning" | "images" | "speech" | "transcription" | "task";

/**
 * What a call records: "charge" a reservation, a charge and a log row; "log" a log row, and a count among its
 * token's calls; "none" nothing. Only charged calls affect the health of a channel.
 */
export type Books = "charge" | "log" | "none";

/** How a call ended that reached a provider. */
export type ProviderOutcome = Exclude<Outcome, "failed">;

/** Part of the memory budget used by a call. */
export type MemoryShare = Pick<MemoryAllocation, "add" | "giveBack">;

/**
 * Pieces of a response for the client. The consumer must read them to the end or call `return()`: both close
 * the bill. A plain async generator does not ensure this: left before its first piece, it has not run any
 * code, so `finally` does not run either. See `startPieces`.
 */
export type Pieces<Piece> = AsyncGenerator<Piece, void, undefined>;
