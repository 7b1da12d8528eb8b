import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import { TransportError } from "#platform/http.ts";
import { refusal } from "#providers/refusal.ts";
import { type Adapted, askAdapted } from "./adapted.ts";
import { transportFailure } from "./attempt.ts";
import type { Answer, PlainCall, RelayServices } from "./call.ts";
import { plainBytes } from "./excess.ts";
import type { End, Flight } from "./flight.ts";
import { openKeeper } from "./keep-bodies.ts";
import { plainKind } from "./owed.ts";
import { type Pieces, primed } from "./pieces.ts";
import { createPlainReader, type PlainReader } from "./plain-stream.ts";
import { heardUsage, plainUsage } from "./plain-usage.ts";
import type { Chosen } from "./plan.ts";
import { answerHeaders, relay } from "./relay.ts";
import { openMemory } from "./remembered.ts";
import { eventsForClients, failedForClients } from "./scrub.ts";
import { send } from "./send.ts";
import type { UpstreamCall } from "./upstream-call.ts";

/**
 * Calls that have one public wire, OpenAI's: the body passes with nothing but the model's name replaced, the answer
 * passes as it came, and the meter reads what it can of it.
 */
export async function relayPlain(services: RelayServices, asked: PlainCall): Promise<Answer> {
  const call = { ...asked, kind: plainKind(asked.needs, asked.path) };
  const memory = openMemory(services, call, call.raw);
  if (memory !== undefined) call.billed = memory.billed;
  const keeper = openKeeper(services, call, call.raw);
  try {
    const known = await memory?.answer();
    if (known !== undefined) return keeper.answered(known);
    const answer = await relay(services, call, (chosen, flight, begun) => {
      keeper.through(chosen.channel);
      return tryChannel(services, call, chosen, flight, begun);
    });
    return keeper.answered(memory?.keep(answer) ?? answer);
  } catch (error) {
    keeper.failed();
    throw error;
  }
}

const MAX_ERROR_BYTES = 256 * 1024;
const ERROR_NAME = Buffer.from('"error"');
const MAX_BODY_BYTES = 128 * 1024 * 1024;

async function tryChannel(
  services: RelayServices,
  call: PlainCall,
  chosen: Chosen,
  flight: Flight,
  begun: number,
): Promise<Answer | { error: UpstreamError }> {
  const adapter = chosen.channel.provider.adapters?.[call.path];
  try {
    const asked = await (adapter === undefined
      ? ask(services, call, chosen, flight.upstream)
      : askAdapted(services, call, chosen, adapter, flight.upstream));
    if ("error" in asked) return asked;
    const { response, whole } = asked;
    flight.chosen = chosen;
    flight.firstByteAt ??= now();
    flight.noteAttempt(chosen, begun, undefined);
    const type = String(response.headers["content-type"] ?? "application/octet-stream");
    const headers = { ...answerHeaders(response.headers, call.dropped ?? []), "content-type": type };
    if (whole !== undefined) {
      await flight.settle({ outcome: "complete", vendor: whole.usage, delivered: { narrow: 0, wide: 0 } });
      return {
        kind: "bytes",
        headers: { ...headers, "content-type": whole.contentType },
        chunks: once(whole.body),
      };
    }
    if (!type.startsWith("application/json"))
      return {
        kind: "bytes",
        headers,
        chunks: await primed(passBytes(call, chosen, flight, response, type)),
      };
    const body = await response.text(MAX_BODY_BYTES);
    const { usage, tally, images } = plainUsage(body);
    if (call.needs === "images") countImages(call, images);
    await flight.settle({
      outcome: "complete",
      vendor: usage,
      delivered: tally,
      counted: heardUsage(call, tally),
    });
    return { kind: "body", headers, body: failedForClients(body, chosen) };
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

/** More pictures than were requested are no reason to believe any number. */
const MOST_IMAGES = 128;

/** What an answer has more pictures than its request named is billed as well. */
function countImages(call: PlainCall, images: number): void {
  const delivered = Math.min(images, MOST_IMAGES);
  if (delivered <= call.calls) return;
  const times = delivered / Math.max(1, call.calls);
  const { estimate } = call;
  const output = Math.ceil(estimate.output * times);
  call.estimate = {
    ...estimate,
    output,
    ...(estimate.imageOutput === undefined ? {} : { imageOutput: output }),
  };
  call.calls = delivered;
}

/** OpenAI's wire on both sides: the body goes on as it came. */
async function ask(
  services: RelayServices,
  call: PlainCall,
  chosen: Chosen,
  upstream: UpstreamCall,
): Promise<Adapted> {
  const response = await send(services, chosen, {
    method: "POST",
    path: call.path,
    model: chosen.upstreamModel,
    stream: call.stream,
    headers: { "content-type": call.contentType, accept: call.stream ? "text/event-stream" : "*/*" },
    body: call.bodyFor(chosen.upstreamModel),
    maxBytes: plainBytes(call),
    signal: upstream.signal,
    progress: upstream,
  });
  if (response.status >= 200 && response.status < 300) return { response, whole: undefined };
  const text = await response.text(MAX_ERROR_BYTES).catch(() => "");
  const error = dialects["openai-chat"].decodeError(response.status, text, response.headers);
  return { error: refusal(chosen.channel.provider, error, response.headers) };
}

async function* once(body: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield body;
}

/** Audio, event streams, plain text: at once, but for the end, which is kept back until the bill is closed. */
async function* passBytes(
  call: PlainCall,
  chosen: Chosen,
  flight: Flight,
  response: UpstreamResponse,
  type: string,
): Pieces<Buffer> {
  const reader = createPlainReader(type);
  const chunks = response.chunks();
  const progress: Passing = {
    reader,
    chosen,
    isEvents: type.startsWith("text/event-stream"),
    kept: Buffer.alloc(0),
    outcome: undefined,
  };
  const settle = (outcome: End["outcome"], delivered = reader.tally, final = false) =>
    flight.settle({
      outcome,
      vendor: reader.usage,
      final,
      delivered,
      counted: heardUsage(call, delivered),
    });
  let isLeft = true;
  try {
    yield progress.kept;
    yield* passed(flight, chunks, progress);
    isLeft = false;
  } finally {
    if (isLeft) {
      // Owed is what was there when the client left, unless the provider's own count comes.
      const delivered = { ...reader.tally };
      const isWhole = await readOn(flight, chunks, progress);
      await settle("client-left", delivered, isWhole).catch(() => {});
    }
  }
  const { outcome = "upstream-died" } = progress;
  const gone = outcome === "complete" ? undefined : flight.gone();
  await settle(gone === undefined ? outcome : "client-left");
  // A broken answer must look broken: without its end the connection is cut instead of closed.
  if (gone !== undefined) throw gone;
  if (outcome === "upstream-died" && !reader.failed)
    throw new TransportError("network", "The upstream broke off.");
  if (progress.kept.length > 0) yield progress.kept;
}

interface Passing {
  reader: PlainReader;
  chosen: Chosen;
  isEvents: boolean;
  /** Waits for the bill. */
  kept: Buffer;
  outcome: "complete" | "upstream-died" | undefined;
}

/** What the upstream sends, as it comes, but for its end. Never throws. */
async function* passed(flight: Flight, chunks: Pieces<Buffer>, passing: Passing): Pieces<Buffer> {
  const { reader, chosen, isEvents } = passing;
  while (true) {
    let chunk: Buffer;
    let end: number;
    try {
      // Not `for await`: being left in the middle would end the chunks, and with them the upstream's usage.
      const next = await chunks.next();
      if (next.done === true) {
        passing.outcome = reader.failed ? "upstream-died" : "complete";
        return;
      }
      const held = reader.push(next.value);
      // An event that is an error is the provider's sentence: nothing after it belongs to the answer.
      chunk =
        reader.failed || (isEvents && next.value.includes(ERROR_NAME))
          ? Buffer.from(eventsForClients(next.value.toString(), chosen))
          : next.value;
      end = chunk.length - Math.min(chunk.length, held);
    } catch (error) {
      if (!(error instanceof TransportError)) flight.defect(error);
      passing.outcome = "upstream-died";
      return;
    }
    const kept = passing.kept;
    passing.kept = Buffer.from(chunk.subarray(end));
    if (kept.length > 0) yield kept;
    if (end > 0) yield chunk.subarray(0, end);
  }
}

/** Reads the rest for its usage. Answers whether it came to its end. */
async function readOn(flight: Flight, chunks: Pieces<Buffer>, { reader }: Passing): Promise<boolean> {
  flight.upstream.leave();
  try {
    for await (const chunk of chunks) reader.push(chunk);
    return !reader.failed;
  } catch (error) {
    if (!(error instanceof TransportError)) flight.defect(error);
    return false;
  }
}
