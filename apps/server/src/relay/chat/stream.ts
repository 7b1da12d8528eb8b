import type { AnswerMender, Upstream } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { mendedDecoder } from "#dialects/mended-decoder.ts";
import { eventsOf } from "#dialects/stream/answer-events.ts";
import type { RawFrame } from "#dialects/stream/sse.ts";
import { GatewayError, internalError } from "#errors.ts";
import { generatorOf } from "#platform/generator-of.ts";
import { type UpstreamResponse } from "#platform/http/http.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import type { EndedCall } from "#relay/core/billing/call-end.ts";
import type { Pieces, RoutedCall } from "#relay/core/call.ts";
import { peekFormat } from "#relay/core/response/whole-text.ts";
import { limitError } from "#relay/core/routing/excess.ts";
import { finish, readAnswer } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";
import { readFrames } from "./frames.ts";
import { passingPipe, type Pipe, translatingPipe } from "./pipes.ts";

/**
 * A streamed response, frame by frame. Only the frames that complete it are buffered: they wait for the bill.
 */
type StreamResult = { frames: Pieces<string> } | { error: UpstreamError };

interface ChatResponseSource {
  response: UpstreamResponse;
  upstream: Upstream;
  mender?: AnswerMender | undefined;
  /** Origin of the proofs of thinking in the response. */
  origin?: string | undefined;
}

/**
 * Waits for the first frame, so that another channel can still replace a provider that fails at once. Then
 * yields the rest as it arrives.
 */
export async function openStream(
  call: ChatCall,
  tried: ChatResponseSource,
  routed: RoutedCall<ChatCall>,
  bill: CallBill,
): Promise<StreamResult> {
  const { upstream } = tried;
  const isJson = String(tried.response.headers["content-type"] ?? "").includes("application/json");
  const { response, isEvents } = isJson ? await peekFormat(tried.response) : { ...tried, isEvents: true };
  const openArray = isEvents ? undefined : upstream.openArray;
  if (!isEvents && openArray === undefined) return openWhole(call, { ...tried, response }, routed, bill);
  const untouched =
    upstream.id !== "own" && upstream.id === call.client.id && call.request.jsonArrayStream !== true;
  const pipe = untouched
    ? passingPipe(call, upstream, tried.mender)
    : translatingPipe(call, tried, mendedDecoder(upstream.decodeStream(), tried.mender));
  const events = openArray === undefined ? response : unframed(response, openArray());
  const batches = readFrames(events, () => pipe.closing(), undefined, call.memory);
  let first = "";
  let ended = false;
  // Reads a complete response without content to its end: its usage may follow.
  const goesOn = () => (first === "" && pipe.pending() === "") || (isWhole(pipe) && isSilent(pipe));
  while (!ended && pipe.error() === undefined && goesOn()) {
    const next = await batches.next();
    if (next.done) {
      ended = true;
      first += pipe.end();
    } else {
      first += taken(pipe, next.value);
    }
  }
  const error = pipe.error();
  if (error !== undefined) {
    await batches.return();
    return { error };
  }
  if (ended && isSilent(pipe)) {
    return {
      error: { kind: "server", message: "The provider returned an empty response.", status: response.status },
    };
  }
  bill.attempts.receiveByte();
  if (hasText(pipe)) bill.attempts.receiveText();
  return { frames: run({ call, routed, bill, pipe }, { first, ended, batches }) };
}

function hasText({ tally }: Pipe): boolean {
  return tally.narrow > 0 || tally.wide > 0;
}

/**
 * Handles a provider that returns a whole response although a stream was requested: converts it to a stream.
 */
async function openWhole(
  call: ChatCall,
  tried: ChatResponseSource,
  routed: RoutedCall<ChatCall>,
  bill: CallBill,
): Promise<StreamResult> {
  const answer = await readAnswer(tried, call.memory);
  if ("error" in answer) return answer;
  const pipe = translatingPipe(call, tried, { frame: () => [], end: () => eventsOf(answer) });
  bill.attempts.receiveByte();
  const begun = { first: pipe.end(), ended: true, batches: noFrames() };
  return { frames: run({ call, routed, bill, pipe }, begun) };
}

async function* noFrames(): AsyncGenerator<RawFrame[], void, undefined> {}

function unframed(
  response: UpstreamResponse,
  read: (chunk: Uint8Array) => Buffer,
): Pick<UpstreamResponse, "chunks" | "cancel"> {
  return {
    cancel: () => response.cancel(),
    async *chunks() {
      for await (const chunk of response.chunks()) {
        const events = read(chunk);
        if (events.length > 0) yield events;
      }
    },
  };
}

/** Whether the response has no content and no usage. */
function isSilent(pipe: Pipe): boolean {
  return pipe.usage() === undefined && pipe.output() === "nothing";
}

interface RunningStream {
  /** The call as it was sent. */
  readonly call: ChatCall;
  readonly routed: RoutedCall<ChatCall>;
  readonly bill: CallBill;
  readonly pipe: Pipe;
}

interface StreamStart {
  first: string;
  ended: boolean;
  batches: AsyncGenerator<RawFrame[], void, undefined>;
}

/** Returns the text of these frames, up to one that ends the response with an error. */
function taken(pipe: Pipe, frames: readonly RawFrame[]): string {
  let text = "";
  for (const frame of frames) {
    text += pipe.frame(frame);
    if (pipe.error() !== undefined) break;
  }
  return text;
}

/** Returns the pieces of the response. Leaving them at any time closes the bill. */
function run(stream: RunningStream, begun: StreamStart): Pieces<string> {
  const { bill, pipe } = stream;
  const { batches } = begun;
  let first = begun.first;
  let isEnded = begun.ended;
  let isOver = false;
  // All frames read were passed on: the next one is read only after the client took the last piece.
  bill.deliver({
    progress: () =>
      pipe.output() === "nothing" ? undefined : { reported: pipe.usage(), delivered: pipe.tally },
  });

  async function next(): Promise<string | undefined> {
    if (isOver) return undefined;
    let text = first;
    first = "";
    while (text === "" && !isEnded) {
      try {
        const batch = await batches.next();
        if (batch.done === true) {
          isEnded = true;
          text = pipe.end();
        } else text += taken(pipe, batch.value);
        if (bill.attempts.firstTextAt === undefined && hasText(pipe)) bill.attempts.receiveText();
      } catch (error) {
        isEnded = true;
        text += endAfterBreak(stream, error);
      }
      isEnded ||= pipe.error() !== undefined;
    }
    if (text !== "") return text;
    isOver = true;
    return lastText(stream);
  }

  return generatorOf(next, async () => {
    if (isOver) return;
    isOver = true;
    // No one requests more pieces. The rest is read only for its usage.
    await leave(stream, batches);
  });
}

/**
 * Handles a broken stream: a cancelled call means that the client left, other errors are the upstream's, or a
 * defect.
 */
function endAfterBreak({ bill, pipe }: RunningStream, error: unknown): string {
  if (!(error instanceof TransportError || error instanceof GatewayError)) bill.reportDefect(error);
  // It broke after the last frame, so nothing of the response is missing.
  else if (pipe.closing()) return pipe.end();
  pipe.broken = error;
  return "";
}

async function leave(stream: RunningStream, batches: StreamStart["batches"]): Promise<void> {
  const { routed, bill, pipe } = stream;
  bill.connection.leave();
  // Charge what was delivered when the client left, unless the provider's own count arrives.
  bill.stopDelivery();
  const delivered = { ...pipe.tally };
  try {
    for await (const batch of batches) {
      taken(pipe, batch);
      if (pipe.error() !== undefined) break;
    }
    pipe.end();
  } catch (error) {
    endAfterBreak(stream, error);
  }
  if (isWhole(pipe) && isSilent(pipe)) return bill.fail(silence());
  await bill.settle({ ...endOf(pipe), routed, delivered, outcome: "client-left" }).catch(() => {});
}

/** Returns the end for the bill. A refusal without usage is free, as in a response that is not streamed. */
function endOf(pipe: Pipe): Pick<EndedCall, "reported" | "final" | "delivered"> {
  const isFree = isWhole(pipe) && pipe.usage() === undefined && pipe.output() === "refusal";
  const reported = isFree ? { input: 0, output: 0 } : pipe.usage();
  return { reported, final: isWhole(pipe) && reported !== undefined, delivered: pipe.tally };
}

function silence(): GatewayError {
  return new GatewayError("upstream_failed", { reason: "upstream_empty" });
}

function isWhole(pipe: Pipe): boolean {
  return pipe.complete() && pipe.error() === undefined;
}

/**
 * Closes the bill, then returns the bytes that complete the response, or one error in the client's dialect.
 */
async function lastText({ call, routed, bill, pipe }: RunningStream): Promise<string> {
  const gone = isWhole(pipe) ? undefined : bill.connection.gone();
  const outcome = isWhole(pipe) ? "complete" : gone === undefined ? "upstream-died" : "client-left";
  const fail = (error: GatewayError) => call.client.encodeStreamError(error, call.requestId, call.request);
  if (isWhole(pipe) && isSilent(pipe)) {
    const error = silence();
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
