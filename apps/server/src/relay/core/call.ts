import type { LogSession, Outcome } from "@gateway/shared/usage/log";
import type { Usage } from "#dialects/ir.ts";
import type { ChannelInForce, KeyInForce } from "#domain/channels/channel-in-force.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import type { PriceInForce } from "#domain/pricing/pricing.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import type { CancelSignal } from "#platform/cancellation.ts";
import type { MemoryAllocation } from "#platform/memory-budget.ts";
import type { Endpoint } from "#providers/provider.ts";

/** The types of a call that every part of the relay shares. It imports nothing of the relay. */

/** One call of a client whose caller is known: what every kind of call has. */
export interface Call {
  requestId: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  caller: Caller;
  pin: Pin | undefined;
  ip: string;
  /** The path as the log names it, e.g. `/v1/chat/completions`. */
  endpoint: string;
  /** What the provider must offer. */
  needs: Endpoint;
  model: string;
  stream: boolean;
  tools: boolean;
  /** The most it can use, for the reservation. */
  estimate: Estimate;
  /** Fields that were taken out of the request, for its answer to name. */
  dropped?: readonly string[];
  /** What it produces; "text" unless given. */
  kind?: CallKind;
  /** "charge" unless given. */
  books?: Books;
  /** What a price per call is multiplied with, e.g. the number of images. */
  calls: number;
  /** The body as it came; a form has none that could be read. */
  raw?: Buffer;
  /** Aborts when the client leaves. */
  signal: CancelSignal;
  /** Whatever the call keeps in memory is added here first; the endpoint releases it after the last byte. */
  memory?: Memory;
  /** Hears the tokens that were billed, once, when the bill is closed; 0 when nothing was used. */
  used?(tokens: number): void;
  /** Hears what was charged for, once the charge is committed and before the answer's end leaves. */
  billed?(billed: Billed): void;
  /** Names the session that it belongs to; undefined where nothing does. */
  session?(): string | undefined;
  /** What the log says of its session. */
  sessionNote?(): LogSession | undefined;
  /** The client wants no answer that was given before. */
  fresh?: boolean;
}

/** What goes back to the client. `frames` and `chunks` must be read to their end or left with `return()`: both close the bill. */
export type Answer =
  | { kind: "body"; headers: Record<string, string>; body: string }
  | { kind: "stream"; headers: Record<string, string>; frames: Pieces<string> }
  | {
      kind: "bytes";
      /** Unless given, 200. */
      status?: number;
      headers: Record<string, string>;
      chunks: Pieces<Buffer>;
    };

/** A channel chosen for the next attempt. Group, ratio and price are carried along; no one looks them up again. */
export interface Chosen {
  channel: ChannelInForce;
  /** Undefined for a provider that needs none. */
  key: KeyInForce | undefined;
  group: string;
  backup: boolean;
  groupRatio: string;
  upstreamModel: string;
  billedModel: string;
  price: PriceInForce;
}

/** How a call was served, but for who served it. */
export type Served = Omit<Chosen, "channel" | "key">;

/** What was charged for, and how it ended. */
export interface Billed {
  usage: Usage;
  outcome: Ended;
  served: Served;
}

/** How far a request got at its provider. `refused` is any answer that is an error. */
export type Reach = "not sent" | "sent" | "refused" | "answering";

/** What a call produces, as far as it matters when the answer is not read to its end. */
export type CallKind = "text" | "reasoning" | "images" | "speech" | "transcription" | "task";

/**
 * What a call leaves in the books: a reservation, a charge and a log row; a log row and its place among the calls of
 * its token; or nothing. How a call ended speaks for or against its channel only if it is charged.
 */
export type Books = "charge" | "log" | "none";

/** How a call that reached a provider ended. */
export type Ended = Exclude<Outcome, "failed" | "interrupted">;

/** What a call adds to the memory budget. */
export type Memory = Pick<MemoryAllocation, "add" | "giveBack">;

/**
 * The pieces of an answer on their way to the client. Whoever has them must read them to their end or `return()` them:
 * both close the bill. A plain async generator breaks that promise when it is left before its first piece, because
 * nothing of it has run by then, not even its `finally`.
 */
export type Pieces<Piece> = AsyncGenerator<Piece, void, undefined>;
