import type { GatewayError } from "#errors.ts";
import type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  ClientDialectId,
  DialectId,
  Part,
  UpstreamError,
  Usage,
} from "./ir.ts";

/** One server-sent event: the joined `data:` lines and the `event:` name, if any. */
export interface Frame {
  event: string | undefined;
  data: string;
}

export type Wire = Record<string, unknown>;

/** Request data taken from the URL, for dialects that keep model or stream out of the body. */
export interface Address {
  model?: string;
  stream?: boolean;
  /**
   * False when the client requests its stream as one JSON array, not as events (Gemini without `alt=sse`).
   */
  sse?: boolean;
}

/** An error response, used before anything was sent. */
export interface WireError {
  status: number;
  body: Wire;
}

/** Encodes IR events as text ready for the socket, frames and separators included. */
export type StreamEncoder = (event: ChatEvent) => EncodedEvent;

export interface EncodedEvent {
  text: string;
  /** The text completes the response in this dialect. It must not be sent before the bill is settled. */
  last: boolean;
}

/** Decodes frames into IR events. `end` is called once when the upstream body ended, for whatever reason. */
export interface StreamDecoder {
  frame(frame: Frame): ChatEvent[];
  end(): ChatEvent[];
}

/** Size of a response whose provider reports no usage: characters transferred, by script. */
export interface CharacterCount {
  /** Characters below U+0300: letters, digits, punctuation of alphabetic scripts. */
  narrow: number;
  /** All other characters, among them Chinese, Japanese, Korean. */
  wide: number;
  /** Number of spaces and line ends among `narrow`. Text without them has more tokens. */
  spaces?: number;
}

/** State of a large JSON response that is read while it passes through. */
export interface AnswerScan {
  push(chunk: Buffer): void;
  /** Number of bytes up to and including the one that closes the response; undefined while it is open. */
  readonly endsAt: number | undefined;
  /** True when the bytes start with an object and no bracket so far is mismatched. */
  readonly isObject: boolean;
  readonly tally: CharacterCount;
  /** True when some value is too long for an error message: an image, sound, or text under another name. */
  readonly hasMedia: boolean;
  /** Returns the raw values of a kept key, in order: the last thousand, each of at most 64 KB. */
  values(key: string): readonly string[];
  /** Returns the number of entries in the lists of this key. */
  entries(key: string): number;
}

/** The scan of a response, and the usage that its provider reports in it. */
export interface ScannedAnswer {
  readonly scan: AnswerScan;
  usage(): Usage | undefined;
}

/**
 * Reads a passing stream for metering without building objects per frame. Takes the usage from the frame that
 * carries it, and tallies the delivered text.
 */
export interface Skimmer {
  frame(frame: Frame): void;
  /**
   * Reads a frame that differs from the previous one in its text only. Returns false when `frame` must read
   * it. Apart from the text, the frame has the same effect as the previous one.
   */
  repeats?(frame: Frame): boolean;
  readonly usage: Usage | undefined;
  readonly tally: CharacterCount;
  /** True after the stream's own end marker (finish reason, `[DONE]`, `message_stop`, etc.). */
  readonly complete: boolean;
  /** An error that the provider sent in the stream. */
  readonly error: UpstreamError | undefined;
}

/**
 * Repairs a response that deviates from its dialect, before it is decoded for clients of other dialects or
 * passed to clients of the same one. One instance per response.
 */
export interface AnswerRepair {
  /** Returns the same object when nothing deviates. */
  whole(body: Wire): Wire;
  /** Returns the frames that replace this frame's data; undefined when it stays unchanged. */
  frame(data: string): string[] | undefined;
  /** Returns the frames that are missing when the stream has ended without its own end marker. */
  end(): string[];
  /** Usage that was reported so far and is not in a frame yet. */
  usage(): Usage | undefined;
}

/** A dialect as the client side needs it. */
export interface ClientDialect {
  id: ClientDialectId;
  /** Throws `invalidRequest` with the path of the first offending field. */
  decodeRequest(body: unknown, address: Address): ChatRequest;
  encodeResponse(response: ChatResponse, request: ChatRequest): Wire;
  encodeStream(request: ChatRequest): StreamEncoder;
  encodeError(error: GatewayError, requestId: string): WireError;
  /** Encodes an error that ends a stream which has already started, ready for the socket. */
  encodeStreamError(error: GatewayError, requestId: string, request?: ChatRequest): string;
  /** A comment or event that keeps an idle stream open, ready for the socket. */
  heartbeat: string;
  /** Returns the caller's name for a dropped field, where requests are decoded to fields of another dialect. */
  fieldName?(name: string): string;
}

/** Token counting, for dialects that offer it to clients. */
export interface TokenCounting {
  /**
   * Path of the client's request, below the dialect's chat path;
   * absent where the chat path itself identifies it.
   */
  countPath?: string;
  /** Path below the provider's base URL. */
  path(model: string): string;
  /** Encodes a count of our own in this dialect. */
  encode(tokens: number): Wire;
}

/** Parts whose content may be referenced by URL. */
export type MediaPart = Extract<Part, { source: unknown }>;

/** Functions that translate to and from an upstream's wire format. */
export interface UpstreamWire {
  /** Path below the provider's base URL, e.g. `/v1/messages`. */
  path(request: { model: string; stream: boolean }): string;
  /** `dropped` names the request's fields that this dialect cannot express. */
  encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] };
  /** Returns whether an image, sound or file can be sent as a URL; otherwise its bytes are required. */
  takesAddress(part: MediaPart, url: string): boolean;
  decodeResponse(body: unknown): ChatResponse;
  /** Prepares a complete response body for `decodeResponse`. Default: parses the JSON. */
  read?(text: string): unknown;
  decodeStream(): StreamDecoder;
  /** Converts a stream that arrives as one JSON array to events, for a dialect that has that form too. */
  openArray?(): (chunk: Uint8Array) => Buffer;
  decodeError(
    status: number,
    body: string,
    headers: Record<string, string | string[] | undefined>,
  ): UpstreamError;
  /**
   * Returns whether this frame completes the response.
   * It and all later frames wait until the bill is settled.
   */
  isLast(frame: Frame): boolean;
}

/** The wire format of one provider, which no client uses. */
export interface ProviderWire extends UpstreamWire {
  id: "own";
}

/** A dialect that clients use too, so that bodies may pass unchanged. */
export interface UpstreamDialect extends UpstreamWire {
  id: DialectId;
  /**
   * Returns usage and tally of a complete response that passes unchanged.
   * @param counts whether to count the text beside this usage. Default: where the count can matter for the bill
   */
  skimResponse(
    body: string,
    counts?: (usage: Usage | undefined) => boolean,
  ): { usage: Usage | undefined; tally: CharacterCount };
  /** Does the same for a large response, which is read while it passes. */
  scanResponse(): ScannedAnswer;
  skim(): Skimmer;
  /** Repairs a response, for a dialect that many providers imitate. One instance per response. */
  repair?(): AnswerRepair;
  /**
   * Returns whether to drop a frame that the client did not request,
   * from a stream that otherwise passes unchanged.
   */
  dropFrame?(frame: Frame, request: ChatRequest): boolean;
  /** Returns the text of a frame, without the fields that the client did not request. */
  trimFrame?(raw: string, request: ChatRequest): string;
  /**
   * Sets model and stream usage on a body of this dialect that otherwise passes unchanged. Returns the same
   * object when there is nothing to set; the client's own bytes are then sent.
   */
  adjust(body: Wire, model: string): Wire;
}

export type Dialect = ClientDialect & UpstreamDialect & { count?: TokenCounting };
export type Upstream = Dialect | ProviderWire;
