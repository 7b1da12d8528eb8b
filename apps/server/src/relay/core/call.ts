import type { Settings } from "@gateway/shared/settings";
import type { Bytes } from "#dialects/addressed.ts";
import type { Dialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import type { GroupsInForce } from "#domain/accounts/groups-in-force.ts";
import type { AnswerCache } from "#domain/answers/answer-cache.ts";
import type { Candidates } from "#domain/channels/candidates.ts";
import type { ChannelInForce } from "#domain/channels/channel-in-force.ts";
import type { Health } from "#domain/channels/health.ts";
import type { Ledger } from "#domain/ledger/ledger.ts";
import type { BodyLog } from "#domain/logs/bodies.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import type { Prices } from "#domain/pricing/prices.ts";
import type { BackgroundBills } from "#domain/responses/background.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import type { Revocations } from "#domain/tokens/revocations.ts";
import type { StreamedBody, UpstreamClient } from "#platform/http.ts";
import type { MemoryBudget } from "#platform/memory-budget.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { Fetched, PublicFetchOptions } from "#platform/public-fetch.ts";
import type { Endpoint, Outgoing } from "#providers/provider.ts";
import type { Drains } from "./drains.ts";
import type { Billed } from "./flight.ts";
import type { CallKind } from "./owed.ts";
import type { Pieces } from "./pieces.ts";
import type { Chosen } from "./plan.ts";
import type { Memory } from "./whole-text.ts";

/** What the relay works with; handed in once by app.ts. */
export interface RelayServices {
  candidates: Candidates;
  groups: GroupsInForce;
  health: Health;
  ledger: Ledger;
  prices: Prices;
  settings: { current(): Settings };
  upstream: UpstreamClient;
  memory: MemoryBudget;
  metrics: Metrics;
  bodies: Pick<BodyLog, "keep">;
  answers: AnswerCache;
  background: BackgroundBills;
  /** A channel whatever its status: one that was disabled still owes its answers. */
  storedChannel(id: number): Promise<ChannelInForce | "deleted" | undefined>;
  random(): number;
  /** Calls that hold points; empty when every bill is closed. */
  open: Set<string>;
  /** Answers that are read on although their client disconnected. */
  drains: Drains;
  /** Says when an account or key may not be used any more. */
  revocations: Pick<Revocations, "watch">;
  /** Reaches public machines only. Throws `invalid_request`. */
  fetchPublic(address: string, options: PublicFetchOptions): Promise<Fetched>;
  /** A defect of ours that a call survived. */
  onError(error: unknown): void;
}

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
  /** What the vendor must offer. */
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
  /** What a price per call is multiplied with, e.g. the number of images. */
  calls: number;
  /** The body as it came; a form has none that could be read. */
  raw?: Buffer;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  /** Whatever the call keeps in memory is added here first; the endpoint releases it after the last byte. */
  memory?: Memory;
  /** Hears the tokens that were billed, once, when the bill is closed; 0 when nothing was used. */
  used?(tokens: number): void;
  /** Hears what was charged for, once the charge is committed and before the answer's end leaves. */
  billed?(billed: Billed): void;
  /** The client wants no answer that was given before. */
  fresh?: boolean;
}

/** A chat call, decoded. */
export interface ChatCall extends Call {
  client: Dialect;
  /** The body as parsed, and as it came: the same call in three forms, so that nothing is parsed twice. */
  body: Wire;
  raw: Buffer;
  request: ChatRequest;
  /** Headers of the client that an upstream of the same dialect understands. */
  forward: Record<string, string>;
  /** `request` says more than the body: the body must not pass in its place. */
  rewritten?: boolean;
  /** Tokens of the conversation that it continues and that its provider keeps; none = unknown. */
  earlierTokens?: number;
  /** What stands at addresses in the request, for vendors that want the bytes. */
  fetched?: ReadonlyMap<string, Bytes>;
  /** The vendor is to answer at once and go on working: such an answer is asked for later. */
  background?: boolean;
  /** It adds to a conversation: the same request is another one the next time. */
  stateful?: boolean;
  /** Called after the bill, before the answer's end leaves, with that end as the client will read it. */
  finished?(end: string, chosen: Chosen): Promise<void>;
}

/** A call whose one public wire is OpenAI's: embeddings, images, audio and the like pass as they came. */
export interface PlainCall extends Call {
  /** Path below the vendor's address. */
  path: string;
  contentType: string;
  /** How long the recording in it is, as far as its file says; 0 or absent when there is none. */
  heardSeconds?: number;
  /** The answer as this client wants it spelled. */
  spell?: {
    /** Whether an answer with this beginning may pass as it is. */
    isRight(head: string): boolean;
    whole(answer: string): string;
  };
  /** The body for a vendor that knows the model by this name. */
  bodyFor(model: string): Buffer | string | StreamedBody;
}

/** A call that a vendor answers for its own account: nobody reads it on the way, and nobody pays for it here. */
export interface PassedCall extends Call {
  method: Outgoing["method"];
  /** The channel that the caller named. */
  channelId: number;
  /** OpenAI's path, and its query with the `?`. */
  path: string;
  query: string;
  /** Those of the client that its vendor may see. */
  forward: Record<string, string>;
  body: StreamedBody | null;
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
