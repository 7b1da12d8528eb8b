import type { Tally } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import { refusal } from "#providers/refusal.ts";
import type { Answer, Chosen, Pieces } from "#relay/core/call.ts";
import { plainBytes } from "#relay/core/excess.ts";
import { answerHeaders, jsonHeaders, relay } from "#relay/core/exchange.ts";
import type { Flight } from "#relay/core/flight.ts";
import { openKeeper } from "#relay/core/keep-bodies.ts";
import { plainKind } from "#relay/core/owed.ts";
import { passBytes } from "#relay/core/pass-bytes.ts";
import { primed } from "#relay/core/pieces.ts";
import { openMemory } from "#relay/core/remembered.ts";
import { failedForClients } from "#relay/core/scrub.ts";
import { send } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { UpstreamCall } from "#relay/core/upstream-call.ts";
import { transportFailure } from "#relay/core/upstream-error.ts";
import { beginOf, type Begun, wholeText } from "#relay/core/whole-text.ts";
import { type Adapted, askAdapted } from "./adapted.ts";
import type { PlainCall } from "./plain-call.ts";
import { createPlainJsonReader, createPlainReader } from "./plain-stream.ts";
import { heardUsage, plainUsage } from "./plain-usage.ts";

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
    const passing = { chosen, flight, counted: (delivered: Tally) => heardUsage(call, delivered) };
    if (!type.startsWith("application/json")) {
      const isEvents = type.startsWith("text/event-stream");
      const reader = createPlainReader(type);
      return {
        kind: "bytes",
        headers,
        chunks: await primed(passBytes({ ...passing, response, reader, isEvents })),
      };
    }
    const read = await begin(call, response);
    if ("response" in read) {
      const { reader, images } = createPlainJsonReader();
      const settling = () => {
        if (call.needs === "images") countImages(call, images());
      };
      return {
        kind: "bytes",
        headers: { ...headers, ...jsonHeaders(response) },
        chunks: await primed(passBytes({ ...passing, response: read.response, reader, settling })),
      };
    }
    const { text } = read;
    const { usage, tally, images } = plainUsage(text);
    if (call.needs === "images") countImages(call, images);
    await flight.settle({
      outcome: "complete",
      vendor: usage,
      delivered: tally,
      counted: heardUsage(call, tally),
    });
    const body = failedForClients(text, chosen);
    return { kind: "body", headers, body: call.spell?.whole(body) ?? body };
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

/** Reads the answer's beginning, or all of it where it must be converted. */
async function begin({ spell, memory }: PlainCall, response: UpstreamResponse): Promise<Begun> {
  const begun = await beginOf(response, memory);
  if ("text" in begun || spell === undefined || spell.isRight(begun.head)) return begun;
  return { text: await wholeText(begun.response, MAX_BODY_BYTES, memory) };
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

async function* once(body: Buffer): Pieces<Buffer> {
  yield body;
}
