import { isWrapped, openUnwrapping } from "#dialects/answer-schema.ts";
import type { AnswerMender, Dialect, Frame, StreamDecoder, Tally, Upstream } from "#dialects/dialect.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import { mendedDecoder } from "#dialects/mended-decoder.ts";
import { eventWithOrigin } from "#dialects/proof.ts";
import { eventsOf } from "#dialects/stream/answer-events.ts";
import { formatFrame, type RawFrame } from "#dialects/stream/sse.ts";
import { ownNamesOf, toolNames, withOwnName } from "#dialects/tool-names.ts";
import { billedUsage } from "#dialects/usage/service-tier.ts";
import { GatewayError, internalError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { generatorOf } from "#platform/generator-of.ts";
import { type UpstreamResponse } from "#platform/http.ts";
import { TransportError } from "#platform/transport-error.ts";
import type { Pieces } from "#relay/core/call.ts";
import { excessOf, limitError } from "#relay/core/excess.ts";
import type { End, CallLifecycle } from "#relay/core/lifecycle.ts";
import { tallyEvent } from "#relay/core/meter.ts";
import { peeked } from "#relay/core/whole-text.ts";
import { brokenOff, readAnswer } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";
import { readFrames } from "./frames.ts";
import { openFrameListener, openListener, type OutputKind } from "./silence.ts";

/**
 * A streamed response, frame by frame. Only the frames that complete it are buffered: they wait for the bill.
 */
type Opened = { frames: Pieces<string> } | { error: UpstreamError };

interface Tried {
  response: UpstreamResponse;
  upstream: Upstream;
  mender?: AnswerMender | undefined;
  /** Origin of the proofs of thinking in the response. */
  origin?: string | undefined;
}

/** Connects the upstream's frames to the client: unchanged or translated, always metered. */
interface Pipe {
  /** Returns the text to send now. The end of the response is kept back. */
  frame(raw: RawFrame): string;
  /** Called when the upstream's body ended. Returns the text to send. */
  end(): string;
  /** Returns the text that was kept back. */
  pending(): string;
  complete(): boolean;
  /** Error that broke the connection, if any. */
  broken?: unknown;
  /** Whether the upstream has sent a frame after which a client may consider the response complete. */
  closing(): boolean;
  usage(): Usage | undefined;
  readonly tally: Tally;
  /** Returns the kind of output so far. */
  output(): OutputKind;
  error(): UpstreamError | undefined;
}

/**
 * Waits for the first frame, so that another channel can still replace a provider that fails at once. Then
 * yields the rest as it arrives.
 */
export async function openStream(call: ChatCall, tried: Tried, lifecycle: CallLifecycle): Promise<Opened> {
  const { upstream } = tried;
  const isJson = String(tried.response.headers["content-type"] ?? "").includes("application/json");
  const { response, isEvents } = isJson ? await peeked(tried.response) : { ...tried, isEvents: true };
  const openArray = isEvents ? undefined : upstream.openArray;
  if (!isEvents && openArray === undefined) return openWhole(call, { ...tried, response }, lifecycle);
  const untouched =
    upstream.id !== "own" && upstream.id === call.client.id && call.request.jsonArrayStream !== true;
  const pipe = untouched
    ? passing(call, upstream, tried.mender)
    : translating(call, tried, mendedDecoder(upstream.decodeStream(), tried.mender));
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
  lifecycle.firstByteAt ??= now();
  return { frames: run(call, lifecycle, pipe, { first, ended, batches }) };
}

/**
 * Handles a provider that returns a whole response although a stream was requested: converts it to a stream.
 */
async function openWhole(call: ChatCall, tried: Tried, lifecycle: CallLifecycle): Promise<Opened> {
  const answer = await readAnswer(tried, call.memory);
  if ("error" in answer) return answer;
  const pipe = translating(call, tried, { frame: () => [], end: () => eventsOf(answer) });
  lifecycle.firstByteAt ??= now();
  const begun = { first: pipe.end(), ended: true, batches: noFrames() };
  return { frames: run(call, lifecycle, pipe, begun) };
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

interface Begun {
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
function run(call: ChatCall, lifecycle: CallLifecycle, pipe: Pipe, begun: Begun): Pieces<string> {
  const { batches } = begun;
  let first = begun.first;
  let isEnded = begun.ended;
  let isOver = false;
  // All frames read were passed on: the next one is read only after the client took the last piece.
  lifecycle.progress = () =>
    pipe.output() === "nothing" ? undefined : { reported: pipe.usage(), delivered: pipe.tally };

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
      } catch (error) {
        isEnded = true;
        text += endAfterBreak(lifecycle, pipe, error);
      }
      isEnded ||= pipe.error() !== undefined;
    }
    if (text !== "") return text;
    isOver = true;
    return lastText(call, lifecycle, pipe);
  }

  return generatorOf(next, async () => {
    if (isOver) return;
    isOver = true;
    // No one requests more pieces. The rest is read only for its usage.
    await leave(lifecycle, pipe, batches);
  });
}

/**
 * Handles a broken stream: a cancelled call means that the client left, other errors are the upstream's, or a
 * defect.
 */
function endAfterBreak(lifecycle: CallLifecycle, pipe: Pipe, error: unknown): string {
  if (!(error instanceof TransportError || error instanceof GatewayError)) lifecycle.defect(error);
  // It broke after the last frame, so nothing of the response is missing.
  else if (pipe.closing()) return pipe.end();
  pipe.broken = error;
  return "";
}

async function leave(lifecycle: CallLifecycle, pipe: Pipe, batches: Begun["batches"]): Promise<void> {
  lifecycle.upstream.leave();
  // Charge what was delivered when the client left, unless the provider's own count arrives.
  lifecycle.progress = undefined;
  const delivered = { ...pipe.tally };
  try {
    for await (const batch of batches) {
      taken(pipe, batch);
      if (pipe.error() !== undefined) break;
    }
    pipe.end();
  } catch (error) {
    endAfterBreak(lifecycle, pipe, error);
  }
  if (isWhole(pipe) && isSilent(pipe)) return lifecycle.fail(silence());
  await lifecycle.settle({ ...endOf(pipe), delivered, outcome: "client-left" }).catch(() => {});
}

/** Returns the end for the bill. A refusal without usage is free, as in a response that is not streamed. */
function endOf(pipe: Pipe): Pick<End, "reported" | "final" | "delivered"> {
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
async function lastText(call: ChatCall, lifecycle: CallLifecycle, pipe: Pipe): Promise<string> {
  const gone = isWhole(pipe) ? undefined : lifecycle.gone();
  const outcome = isWhole(pipe) ? "complete" : gone === undefined ? "upstream-died" : "client-left";
  const fail = (error: GatewayError) => call.client.encodeStreamError(error, call.requestId, call.request);
  if (isWhole(pipe) && isSilent(pipe)) {
    const error = silence();
    await lifecycle.fail(error);
    return fail(error);
  }
  const { broken } = pipe;
  const limit = broken instanceof GatewayError ? broken : limitError(pipe.error() ?? broken);
  try {
    await lifecycle.settle({ ...endOf(pipe), outcome, errorCode: limit?.code });
  } catch (error) {
    return fail(error instanceof GatewayError ? error : internalError(error));
  }
  if (outcome !== "complete")
    return fail(gone ?? limit ?? new GatewayError("upstream_failed", { reason: "upstream_broke_off" }));
  await finish(call, lifecycle, pipe.pending());
  return pipe.pending();
}

/** Calls `finished`. The response is already paid for, so an error must not withhold it from the client. */
export async function finish(
  call: Pick<ChatCall, "finished">,
  lifecycle: CallLifecycle,
  end: string,
): Promise<void> {
  if (lifecycle.chosen === undefined || call.finished === undefined) return;
  try {
    await call.finished(end, lifecycle.chosen);
  } catch (error) {
    lifecycle.defect(error);
  }
}

/** Connects two sides of the same dialect: the text passes unchanged, and a skimmer meters it. */
function passing(call: ChatCall, upstream: Dialect, mender: AnswerMender | undefined): Pipe {
  const skimmer = upstream.skim();
  const excess = excessOf(call);
  const listener = openFrameListener(upstream, () => skimmer.tally);
  let pending = "";
  /** The last frame passed unchanged, so frames that differ only in their text do too. */
  let isPlain = false;

  function pass({ frame, raw: came }: RawFrame): string {
    skimmer.frame(frame);
    listener.frame(frame);
    if (skimmer.error !== undefined || upstream.dropFrame?.(frame, call.request) === true) return "";
    const raw = upstream.trimFrame === undefined ? came : upstream.trimFrame(came, call.request);
    if (pending === "" && !upstream.isLast(frame)) {
      isPlain = raw === came;
      return raw;
    }
    pending += raw;
    return "";
  }

  /** Passes the frames that replace another one, or that were missing. */
  function passAll(event: string | undefined, frames: readonly string[]): string {
    let text = "";
    for (const data of frames) text += pass({ frame: { event, data }, raw: formatFrame({ event, data }) });
    isPlain = false;
    return text;
  }

  return {
    frame(whole) {
      if (isPlain && skimmer.repeats?.(whole.frame) === true) {
        listener.frame(whole.frame);
        return whole.raw;
      }
      isPlain = false;
      const mended = mender?.frame(whole.frame.data);
      if (mended === undefined) return pass(whole);
      return passAll(whole.frame.event, mended);
    },
    end: () => (mender === undefined ? "" : passAll(undefined, mender.end())),
    pending() {
      return pending;
    },
    complete() {
      return skimmer.complete;
    },
    closing() {
      return skimmer.complete;
    },
    usage() {
      return skimmer.usage ?? mender?.usage();
    },
    tally: skimmer.tally,
    output: () => listener.output(),
    error() {
      return skimmer.error ?? excess(skimmer.tally);
    },
  };
}

/** Connects two dialects: decodes frames to events, and encodes them as the client's frames. */
function translating(call: ChatCall, { upstream, origin }: Tried, decoder: StreamDecoder): Pipe {
  const encode = call.client.encodeStream(call.request);
  const excess = excessOf(call);
  const names = toolNames(call.request, upstream.id);
  const own = names && ownNamesOf(names);
  const unwrap = isWrapped(call.request, upstream.id) ? openUnwrapping() : undefined;
  const tally: Tally = { narrow: 0, wide: 0 };
  const listener = openListener();
  let pending = "";
  let complete = false;
  let closing = false;
  let usage: Usage | undefined;
  let error: UpstreamError | undefined;

  function take(events: ReturnType<typeof decoder.frame>): string {
    let text = "";
    for (const event of unwrap === undefined ? events : events.flatMap(unwrap)) {
      if (event.type === "error") {
        error = event.error;
        return text;
      }
      if (event.type === "stop" && event.reason === "error") {
        error = brokenOff(event.raw);
        return text;
      }
      if (event.type === "finish") {
        usage = billedUsage(event);
        complete = true;
      }
      tallyEvent(tally, event);
      listener.event(event);
      const proven = eventWithOrigin(event, origin);
      const encoded = encode(own === undefined ? proven : withOwnName(proven, own));
      if (encoded.last || pending !== "") pending += encoded.text;
      else text += encoded.text;
    }
    return text;
  }

  return {
    frame({ frame }: { frame: Frame }) {
      closing ||= upstream.isLast(frame);
      return take(decoder.frame(frame));
    },
    end: () => take(decoder.end()),
    pending() {
      return pending;
    },
    complete() {
      return complete;
    },
    closing() {
      return closing;
    },
    usage() {
      return usage;
    },
    tally,
    output: () => listener.output,
    error() {
      return error ?? excess(tally);
    },
  };
}
