/**
 * The stages of a call. Each is a value that contains the earlier one: what a client requested, at which prices
 * and by whom it may be served, the target of an attempt, and how it ended. All parts of the
 * relay share these types; the file imports nothing from the relay.
 */
import type { ErrorCode } from "@gateway/shared/errors";
import type { Reason } from "@gateway/shared/reasons";
import type { LogSession, Outcome } from "@gateway/shared/usage/log";
import type { CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import type { ActiveChannel, ActiveKey } from "#domain/channels/selection/active-channel.ts";
import type { SessionShare } from "#domain/ledger/batches/operations.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import type { ActivePrice } from "#domain/pricing/pricing.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";
import type { Endpoint } from "#providers/provider.ts";

/** A call of an authenticated client, as it was requested: the fields common to all kinds of calls. */
export interface ReceivedCall {
  readonly requestId: string;
  /** The client's own name of the request. It may repeat, so it identifies nothing. */
  readonly clientRequestId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly caller: Caller;
  readonly pin: Pin | undefined;
  /** Points that the call may cost at most according to its client; undefined = no limit. */
  readonly maxPrice?: bigint | undefined;
  /** The price that was promised for this call; undefined = none. */
  readonly quote?: CallQuote | undefined;
  readonly ip: string;
  /** Path shown in the log, e.g. `/v1/chat/completions`. */
  readonly endpoint: string;
  /** Endpoint that the provider must support. */
  readonly needs: Endpoint;
  /** Undefined while traces are not sent. */
  readonly trace?: CallTrace | undefined;
  /** The client's dialect, where it has one. */
  readonly client?: { readonly id: string };
  /** The requested model. */
  readonly model: string;
  readonly stream: boolean;
  readonly tools: boolean;
  /** Maximum usage according to the request. */
  readonly estimate: Estimate;
  /** Fields removed from the request. The response lists them. */
  readonly dropped?: readonly string[];
  /** Kind of output. Default: "text". */
  readonly kind?: CallKind;
  /** Default: "charge". */
  readonly books?: Books;
  /** Multiplier of a price per call, e.g. the number of images. */
  readonly calls: number;
  /** Raw request body. Undefined for a form, which cannot be read. */
  readonly raw?: Buffer;
  /** Aborts when the client disconnects. */
  readonly signal: CancelSignal;
  /**
   * Memory budget. The call adds memory here before using it; the endpoint releases it after the last byte.
   */
  readonly memory?: MemoryShare;
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
  readonly sessionBudget?: SessionBudget | undefined;
  /**
   * Whether the gateway may help the provider's prompt cache with marks and a name of the session. Default: no.
   */
  readonly helpsPromptCache?: boolean;
  /** The client does not accept a cached response. */
  readonly fresh?: boolean;
  /** An output limit can be added to a request without one. */
  readonly canLimitOutput?: boolean;
  /** The provider responds at once and continues in the background: any node may close the bill. */
  readonly background?: boolean;
}

/** What a call does for its trace while it runs. Only calls of clients have one, and only while traces are sent. */
export interface CallTrace {
  /** Begins an attempt. Returns the headers that continue the trace at the provider; undefined = none. */
  beginAttempt(): Record<string, string> | undefined;
  /** Returns who wants to know the response; undefined = no one. */
  listen(): AnswerListener | undefined;
  /** The call opens a session. Calls with this trace that end from now on are its responses. */
  beginSession(): void;
  /** Called after the last response has ended. */
  endSession(end: SessionEnd): void;
}

export interface SessionEnd {
  readonly outcome: ProviderOutcome;
  /** "" for a complete session, and for one that its client left. */
  readonly errorCode: string;
}

export interface AnswerListener {
  piece(text: string): void;
  /** No further piece follows. */
  ended(): void;
}

/** A price that the call will not exceed. What it costs above it is the operator's. */
export interface CallQuote {
  readonly id: string;
  /** Points. */
  readonly amount: bigint;
}

/** The budget of the session that a call belongs to. All calls of the session count against it. */
export interface SessionBudget {
  /** Identifies the session within the account. */
  readonly session: string;
  /** Points that the session may spend according to this call. */
  readonly limit: bigint;
  /** Receives headers for the client, before the response begins. */
  note?(headers: Readonly<Record<string, string>>): void;
}

/** A call for which is decided who may serve it, at which prices, and how much is reserved. */
export interface PlannedCall<Received extends ReceivedCall = ReceivedCall> {
  readonly received: Received;
  /** The requested model, or the cheaper one of a session whose budget is nearly spent. */
  readonly model: string;
  readonly plan: Plan;
  /** The session whose budget the call counts against. */
  readonly sessionShare?: SessionShare;
}

/** Decided once, before the reservation: who may serve the call, at which prices, and its maximum cost. */
export interface Plan {
  readonly routeGroups: readonly RouteGroup[];
  readonly prices: ReadonlyMap<string, ActivePrice>;
  /** Points to reserve: the most expensive option of the plan. */
  readonly worstCase: bigint;
  /**
   * The call's estimate, with the output that is reserved: the longest response, or the limit that an
   * administrator has set above the client's.
   */
  readonly estimate: Estimate;
  /**
   * Output limit to add to the request, in tokens for each response, because the balance or a budget does not
   * cover the longest one; undefined = none.
   */
  readonly outputLimit?: number;
  /** The only possible target. Nothing is chosen, retried or priced. */
  readonly only?: PricedTarget;
}

/** A group that the call may use, with the channels that list its model. */
export interface RouteGroup {
  readonly group: string;
  readonly backup: boolean;
  /** Decimal string. */
  readonly ratio: string;
  readonly channels: readonly ActiveChannel[];
}

/** A call with the target of one attempt. */
export interface RoutedCall<Received extends ReceivedCall = ReceivedCall> {
  readonly planned: PlannedCall<Received>;
  readonly target: PricedTarget;
  /** When the attempt began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * A call that is served without a target: from the response cache, at the terms of the cached response, or by the gateway
 * itself.
 */
export interface CachedCall {
  readonly planned: PlannedCall;
  readonly terms: PricingTerms;
  /** Nothing was cached. */
  readonly byGateway?: true;
}

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
  readonly content?: Reason | undefined;
}

/**
 * The response for the client. A stream must be started or left, and `chunks` must be read to the end or left with
 * `return()`: each closes the bill.
 */
export type Answer =
  | { kind: "body"; headers: Record<string, string>; body: string }
  | { kind: "stream"; headers: Record<string, string>; stream: TextStream }
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
  readonly channel: ActiveChannel;
  /** Undefined for a provider without credentials. */
  readonly key: ActiveKey | undefined;
  readonly group: string;
  readonly backup: boolean;
  readonly groupRatio: string;
  readonly upstreamModel: string;
  readonly billedModel: string;
  readonly price: ActivePrice;
}

/** How a call was served, without the channel and key. */
export type PricingTerms = Omit<PricedTarget, "channel" | "key">;

/** The billed usage, and how the call ended. */
export interface BilledUsage {
  readonly usage: Usage;
  readonly outcome: ProviderOutcome;
  readonly terms: PricingTerms;
  /** A limit was added to the request, so its response may be shorter than that of the same request later. */
  readonly isLimited: boolean;
}

/** Progress of a request at its provider. `refused` is any error response. */
export type Reach = "not sent" | "sent" | "refused" | "answering";

/** Kind of output. It decides the charge when the response is not read to its end. */
export type CallKind = "text" | "reasoning" | "images" | "speech" | "transcription" | "task" | "storage";

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

/** A streamed response on its way to the client: text is handed over as it arrives, without a promise for each piece. */
export interface TextStream {
  /**
   * Hands over what has arrived and everything that follows. Whoever has a stream must call `start`, or `leave`
   * when no one will read it: both close the bill.
   */
  start(client: TextReader): void;
  /** The client accepts more, after its `write` returned false. */
  resume(): void;
  /** The client reads no further. Resolves when the bill is closed. Without effect once the stream has ended. */
  leave(): Promise<void>;
}

/** The client of a stream. `end` is called last, unless the stream was left. */
export interface TextReader {
  /** Returns false when nothing more is accepted before `resume`. */
  write(text: string): boolean;
  /** @param error a defect of ours, because of which the response is not complete */
  end(error?: unknown): void;
}
