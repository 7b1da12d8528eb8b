import type { GatewayError } from "#errors.ts";
import type { ChatEvent, ChatRequest, ChatResponse, DialectId, Part, UpstreamError, Usage } from "./ir.ts";

/** One server-sent event: the joined `data:` lines and the `event:` name, if any. */
export interface Frame {
  event: string | undefined;
  data: string;
}

export type Wire = Record<string, unknown>;

/** What the address says about a call, for dialects that keep model or stream out of the body. */
export interface Address {
  model?: string;
  stream?: boolean;
  /** False when the client wants its stream as one JSON array, not as events (Gemini without `alt=sse`). */
  sse?: boolean;
}

/** What an error looks like on the wire before anything was sent. */
export interface WireError {
  status: number;
  body: Wire;
}

/**
 * Turns IR events into text ready for the socket, frames and separators included. `last` is true for the text that
 * completes the answer in this dialect: it must not leave before the bill is settled.
 */
export type StreamEncoder = (event: ChatEvent) => { text: string; last: boolean };

/** Turns frames into IR events. `end` is called once when the upstream body ended, however it ended. */
export interface StreamDecoder {
  frame(frame: Frame): ChatEvent[];
  end(): ChatEvent[];
}

/** How much an answer weighs when its provider gives no usage: characters that crossed the wire, by script. */
export interface Tally {
  /** Characters below U+0300: letters, digits, punctuation of alphabetic scripts. */
  narrow: number;
  /** All other characters, among them Chinese, Japanese, Korean. */
  wide: number;
  /** Of the narrow ones: spaces and line ends. Text without them has more tokens. */
  spaces?: number;
}

/** What is known of a large JSON answer that is read while it passes. */
export interface AnswerScan {
  push(chunk: Buffer): void;
  /** Bytes up to and with the one that closes the answer; undefined while it is open. */
  readonly endsAt: number | undefined;
  /** The bytes begin with an object, and no bracket in them is wrong. */
  readonly isObject: boolean;
  readonly tally: Tally;
  /** Some value is longer than any sentence about a failure: a picture, sound, or text under another name. */
  readonly hasMedia: boolean;
  /** Values of a kept key as they are written, in order: the last thousand, each of at most 64 KB. */
  values(key: string): readonly string[];
  /** Entries in the list of this key. */
  entries(key: string): number;
}

/** An answer that is read so, and the usage that its provider reports in it. */
export interface ScannedAnswer {
  readonly scan: AnswerScan;
  usage(): Usage | undefined;
}

/**
 * Reads a passing stream for the meter without building objects per frame: usage from the frame that carries it,
 * and a tally of the text that was delivered.
 */
export interface Skimmer {
  frame(frame: Frame): void;
  /**
   * Reads a frame that differs from the one before in its text alone; false when it must be read by `frame`. What was
   * true of the one before but for its text is true of this one.
   */
  repeats?(frame: Frame): boolean;
  readonly usage: Usage | undefined;
  readonly tally: Tally;
  /** The stream said its own end (finish reason, `[DONE]`, `message_stop` …). */
  readonly complete: boolean;
  /** An error that the provider put into the stream. */
  readonly error: UpstreamError | undefined;
}

/**
 * Sets an answer right that deviates from its dialect, for clients of that dialect, which it otherwise reaches untouched.
 * One for each answer.
 */
export interface AnswerMender {
  /** The same object when nothing deviates. */
  whole(body: Wire): Wire;
  /** What the data of one frame becomes, in frames; undefined when it stays as it came. */
  frame(data: string): string[] | undefined;
}

/** What a client speaks to us. */
export interface ClientDialect {
  id: DialectId;
  /** Throws `invalidRequest` with the path of the first offending field. */
  decodeRequest(body: unknown, address: Address): ChatRequest;
  encodeResponse(response: ChatResponse, request: ChatRequest): Wire;
  encodeStream(request: ChatRequest): StreamEncoder;
  encodeError(error: GatewayError, requestId: string): WireError;
  /** The error as the end of a stream that has already begun, ready for the socket. */
  encodeStreamError(error: GatewayError, requestId: string, request?: ChatRequest): string;
  /** A comment or event that keeps a silent stream alive, ready for the socket. */
  heartbeat: string;
}

/** Dialects in which a client may ask how many tokens a request has. */
export interface TokenCount {
  /** Where clients ask, below the dialect's chat; absent where the chat's own address says it. */
  countPath?: string;
  /** Path below the provider's base URL. */
  path(model: string): string;
  /** Our own count, in this dialect. */
  encode(tokens: number): Wire;
}

/** Parts whose content may stand elsewhere. */
export type MediaPart = Extract<Part, { source: unknown }>;

/** What translating to and from an upstream's wire takes. */
export interface UpstreamWire {
  /** Path below the provider's base URL, e.g. `/v1/messages`. */
  path(request: { model: string; stream: boolean }): string;
  /** `dropped` names the request's fields that this dialect cannot say. */
  encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] };
  /** Whether a picture, sound or file can be said by its address; else its bytes are wanted. */
  takesAddress(part: MediaPart, url: string): boolean;
  decodeResponse(body: unknown): ChatResponse;
  /** What `decodeResponse` is given of a whole answer's text; unless given, its JSON. */
  read?(text: string): unknown;
  decodeStream(): StreamDecoder;
  /** Turns a stream that comes as one JSON array into events, for a dialect that has that form too. */
  openArray?(): (chunk: Uint8Array) => Buffer;
  decodeError(
    status: number,
    body: string,
    headers: Record<string, string | string[] | undefined>,
  ): UpstreamError;
  /** Whether this frame completes the answer: it and all after it wait for the bill. */
  isLast(frame: Frame): boolean;
}

/** The wire of one provider, which no client speaks. */
export interface ProviderWire extends UpstreamWire {
  id: "own";
}

/** What an upstream speaks that clients speak too, so that bodies may pass untouched. */
export interface UpstreamDialect extends UpstreamWire {
  id: DialectId;
  /** Usage and tally of a whole answer that passes untouched. */
  skimResponse(body: string): { usage: Usage | undefined; tally: Tally };
  /** The same for a large one, which is read while it passes. */
  scanResponse(): ScannedAnswer;
  skim(): Skimmer;
  /** Whether a frame that otherwise passes untouched is one that this client did not ask for. */
  dropFrame?(frame: Frame, request: ChatRequest): boolean;
  /** The text of a frame that otherwise passes untouched, without what this client did not ask for. */
  trimFrame?(raw: string, request: ChatRequest): string;
  /**
   * Sets model and stream usage on a body of this very dialect that otherwise passes untouched. Answers the same
   * object when there is nothing to set: then the client's own bytes go on.
   */
  adjust(body: Wire, model: string): Wire;
}

export type Dialect = ClientDialect & UpstreamDialect & { count?: TokenCount };
export type Upstream = Dialect | ProviderWire;
