import { createRepairingDecoder } from "#dialects/answer-repair.ts";
import type { StreamDecoder } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { eventsOf } from "#dialects/stream/answer-events.ts";
import type { RawFrame } from "#dialects/stream/sse.ts";
import { GatewayError, internalError, upstreamFailed } from "#errors.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { mapBody } from "#platform/http/response-body.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import type { EndedCall, MemoryShare, RoutedCall, TextReader, TextStream } from "#relay/core/call.ts";
import { emptyResponseError, peekFormat } from "#relay/core/response/whole-text.ts";
import { limitError } from "#relay/core/routing/excess.ts";
import { type ChatResponseSource, finish, readAnswer } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";
import { type FrameHandler, FrameReader } from "./frame-reader.ts";
import { passingPipe, type Pipe, translatingPipe } from "./pipes.ts";

/** A streamed response. Only the frames that complete it are buffered: they wait for the bill. */
export type StreamResult = { stream: TextStream } | { error: UpstreamError };

/**
 * Waits for the first frame, so that another channel can still replace a provider that fails at once. Then
 * the rest passes as it arrives.
 */
export async function openStream(
  call: ChatCall,
  tried: ChatResponseSource,
  routed: RoutedCall<ChatCall>,
  bill: CallBill,
): Promise<StreamResult> {
  const { upstream } = tried;
  const began = await beginRound(tried, call.memory);
  if ("error" in began) return began;
  const { decoder, response } = began;
  const untouched =
    response !== undefined &&
    upstream.id !== "own" &&
    upstream.id === call.client.id &&
    call.request.jsonArrayStream !== true;
  const pipe = untouched ? passingPipe(call, upstream, tried.repair) : translatingPipe(call, tried, decoder);
  return openPipe({ call, routed, bill, pipe, status: tried.response.status }, response);
}

/** A response of a provider that has begun: its frames, or none where it came whole. */
interface BegunResponse {
  readonly decoder: StreamDecoder;
  /** Undefined when the end of the decoder is the whole response. */
  readonly response: UpstreamResponse | undefined;
}

/** Begins to read a response. One that came whole although a stream was requested is converted to a stream. */
export async function beginRound(
  tried: ChatResponseSource,
  memory: MemoryShare | undefined,
): Promise<BegunResponse | { error: UpstreamError }> {
  const { upstream, repair } = tried;
  const isJson = String(tried.response.headers["content-type"] ?? "").includes("application/json");
  const { response, isEvents } = isJson ? await peekFormat(tried.response) : { ...tried, isEvents: true };
  const openArray = isEvents ? undefined : upstream.openArray;
  if (!isEvents && openArray === undefined) {
    const answer = await readAnswer({ ...tried, response }, memory);
    if ("error" in answer) return answer;
    return { decoder: { frame: () => [], end: () => eventsOf(answer) }, response: undefined };
  }
  const events = openArray === undefined ? response : { ...response, ...mapBody(response, openArray()) };
  return { decoder: createRepairingDecoder(upstream.decodeStream(), repair), response: events };
}

/** Waits until the response has begun. @param response undefined when the end of the pipe is the whole response */
export async function openPipe(
  parts: StreamParts,
  response: UpstreamResponse | undefined,
): Promise<StreamResult> {
  const stream = new ChatStream(parts);
  if (response === undefined) stream.end();
  else stream.read(response);
  return waitForStart(stream);
}

async function waitForStart(stream: ChatStream): Promise<StreamResult> {
  const error = await stream.opened;
  return error === undefined ? { stream } : { error };
}

interface StreamParts {
  /** The call as it was sent. */
  readonly call: ChatCall;
  readonly routed: RoutedCall<ChatCall>;
  readonly bill: CallBill;
  readonly pipe: Pipe;
  /** Status of the provider's response. */
  readonly status: number;
  /** Requests that continue the response; undefined where there is only one. */
  readonly rounds?: FurtherRounds;
}

/** Continues a response with further requests to its provider. */
export interface FurtherRounds {
  /** Whether the response that has ended is to be continued. */
  isDue(): boolean;
  /** Prepares the next request. Returns text for the client. */
  prepare(): Promise<string>;
  /** Whether the response is complete without a further request. */
  isOver(): boolean;
  /**
   * Sends the next request. Returns the frames of its response, "whole" when the end of the pipe is the response, or
   * undefined when it failed: the pipe then has the error.
   */
  send(): Promise<UpstreamResponse | "whole" | undefined>;
}

/**
 * A response between its provider and its client: the frames that arrive together become one text, which is
 * written at once. It waits only for the first frame, for a client that accepts no more, and for the bill.
 */
class ChatStream implements TextStream, FrameHandler {
  /**
   * Resolves when the response has begun; with the error of a provider that failed before. Rejects when the
   * request broke before.
   */
  readonly opened: Promise<UpstreamError | undefined>;
  readonly #parts: StreamParts;
  #reader: FrameReader | undefined;
  #opening: PromiseWithResolvers<UpstreamError | undefined> | undefined;
  #client: TextReader | undefined;
  #isAccepting = false;
  /** Text that the client has not received yet. */
  #unsent = "";
  /** No frame follows. */
  #isEnded = false;
  #onEnd: (() => void) | undefined;
  /** Resolves when the bill is closed. Set once that has begun. */
  #closed: Promise<void> | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#opening = Promise.withResolvers();
    this.opened = this.#opening.promise;
  }

  read(response: UpstreamResponse): void {
    this.#reader = FrameReader.open(response, this, this.#parts.call.memory);
  }

  isComplete(): boolean {
    return this.#parts.pipe.closing();
  }

  frames(frames: readonly RawFrame[]): void {
    const { pipe } = this.#parts;
    let text = "";
    for (const frame of frames) {
      text += pipe.frame(frame);
      if (pipe.error() === undefined) continue;
      this.#isEnded = true;
      this.#reader?.close();
      break;
    }
    this.#take(text);
  }

  end(): void {
    const { pipe, rounds } = this.#parts;
    const text = pipe.end();
    if (rounds?.isDue() === true && pipe.error() === undefined && this.#closed === undefined) {
      this.#take(text);
      void this.#continue(rounds);
      return;
    }
    this.#isEnded = true;
    this.#take(text);
  }

  /** Continues the response with the next request, unless its client has left. */
  async #continue(rounds: FurtherRounds): Promise<void> {
    try {
      const text = await rounds.prepare();
      if (rounds.isOver() || this.#closed !== undefined) {
        this.#isEnded = true;
        return this.#take(text);
      }
      this.#take(text);
      const response = await rounds.send();
      if (response === "whole") return this.end();
      if (response === undefined) {
        this.#isEnded = true;
        return this.#take("");
      }
      this.read(response);
      // As after the first round: what is read counts as delivered.
      if (this.#opening === undefined && !this.#isAccepting && this.#closed === undefined)
        this.#reader?.pause();
    } catch (error) {
      this.fail(error);
    }
  }

  /** A cancelled call means that the client left, other errors are the upstream's, or a defect. */
  fail(error: unknown): void {
    const { bill, pipe } = this.#parts;
    if (this.#opening !== undefined) return this.#opening.reject(error);
    const isDefect = !(error instanceof TransportError || error instanceof GatewayError);
    if (isDefect) bill.report(error);
    // It broke after the last frame, so nothing of the response is missing.
    if (!isDefect && pipe.closing()) return this.end();
    this.#isEnded = true;
    pipe.broken = error;
    this.#take("");
  }

  start(client: TextReader): void {
    this.#client = client;
    this.resume();
  }

  resume(): void {
    this.#isAccepting = true;
    this.#send();
    if (this.#isAccepting) this.#reader?.resume();
  }

  leave(): Promise<void> {
    return (this.#closed ??= this.#leave());
  }

  #take(text: string): void {
    const { bill, pipe } = this.#parts;
    this.#unsent += text;
    if (this.#opening !== undefined) {
      if (this.#isEnded || !this.#isPreliminary()) this.#open(this.#opening);
      return;
    }
    if (bill.attempts.firstTextAt === undefined && hasText(pipe)) bill.attempts.receiveText();
    if (this.#closed === undefined) this.#send();
    else if (this.#isEnded) this.#onEnd?.();
  }

  /** Whether another provider may still respond. A complete response without content is read to its end for its usage. */
  #isPreliminary(): boolean {
    const { pipe } = this.#parts;
    return (this.#unsent === "" && pipe.pending() === "") || (isWhole(pipe) && isSilent(pipe));
  }

  #open(opening: PromiseWithResolvers<UpstreamError | undefined>): void {
    const { bill, pipe, status } = this.#parts;
    this.#opening = undefined;
    const error = pipe.error();
    if (error !== undefined) return opening.resolve(error);
    if (this.#isEnded && isSilent(pipe)) return opening.resolve(emptyResponseError(status));
    bill.attempts.receiveByte();
    if (hasText(pipe)) bill.attempts.receiveText();
    // More is read only when the client has accepted what was read before, so all of it counts as delivered.
    this.#reader?.pause();
    bill.deliver({
      progress: () =>
        pipe.output() === "nothing"
          ? undefined
          : { reported: pipe.usage(), delivered: pipe.tally, counted: pipe.counted?.() },
    });
    opening.resolve(undefined);
  }

  #send(): void {
    if (this.#client === undefined || !this.#isAccepting || this.#closed !== undefined) return;
    const text = this.#unsent;
    this.#unsent = "";
    if (text !== "" && !this.#client.write(text)) {
      this.#isAccepting = false;
      this.#reader?.pause();
    } else if (this.#isEnded) this.#closed = this.#complete(this.#client);
  }

  async #complete(client: TextReader): Promise<void> {
    try {
      const text = await lastText(this.#parts);
      if (text !== "") client.write(text);
      client.end();
    } catch (error) {
      client.end(error);
    }
  }

  /** Closes the bill of a response whose client left. The rest is read only for its usage. */
  async #leave(): Promise<void> {
    const { routed, bill, pipe } = this.#parts;
    bill.connection.leave();
    // Charge what was delivered when the client left, unless the provider's own count arrives.
    bill.stopDelivery();
    const delivered = { ...pipe.tally };
    if (!this.#isEnded)
      await new Promise<void>((resolve) => {
        this.#onEnd = resolve;
        this.#reader?.resume();
      });
    if (isWhole(pipe) && isSilent(pipe)) return bill.fail(upstreamFailed({ reason: "upstream_empty" }));
    await bill
      .settle({ ...endOf(pipe), routed, delivered, outcome: "client-left" })
      .catch((error: unknown) => bill.report(error));
  }
}

function hasText({ tally }: Pipe): boolean {
  return tally.narrow > 0 || tally.wide > 0;
}

/** Whether the response has no content and no usage. */
function isSilent(pipe: Pipe): boolean {
  return pipe.usage() === undefined && pipe.output() === "nothing";
}

/** Returns the end for the bill. A refusal without usage is free, as in a response that is not streamed. */
function endOf(pipe: Pipe): Pick<EndedCall, "reported" | "final" | "delivered" | "counted"> {
  const isFree = isWhole(pipe) && pipe.usage() === undefined && pipe.output() === "refusal";
  const reported = isFree ? { input: 0, output: 0 } : pipe.usage();
  const counted = pipe.counted?.();
  return { reported, final: isWhole(pipe) && reported !== undefined, delivered: pipe.tally, counted };
}

function isWhole(pipe: Pipe): boolean {
  return pipe.complete() && pipe.error() === undefined;
}

/**
 * Closes the bill, then returns the bytes that complete the response, or one error in the client's dialect.
 */
async function lastText({ call, routed, bill, pipe }: StreamParts): Promise<string> {
  const gone = isWhole(pipe) ? undefined : bill.connection.gone();
  const outcome = isWhole(pipe) ? "complete" : gone === undefined ? "upstream-died" : "client-left";
  const fail = (error: GatewayError) => call.client.encodeStreamError(error, call.requestId, call.request);
  if (isWhole(pipe) && isSilent(pipe)) {
    const error = upstreamFailed({ reason: "upstream_empty" });
    await bill.fail(error);
    return fail(error);
  }
  const { broken } = pipe;
  const limit = broken instanceof GatewayError ? broken : limitError(pipe.error() ?? broken);
  try {
    await bill.settle({ ...endOf(pipe), routed, outcome, errorCode: limit?.code });
  } catch (error) {
    return fail(error instanceof GatewayError ? error : internalError(error));
  }
  if (outcome !== "complete")
    return fail(gone ?? limit ?? new GatewayError("upstream_failed", { reason: "upstream_broke_off" }));
  await finish(routed, bill, pipe.pending());
  return pipe.pending();
}
