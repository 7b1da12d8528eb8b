import { setImmediate as nextTurn } from "node:timers/promises";
import type { CharacterCount } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { createCountFilter, withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import type { GatewayError } from "#errors.ts";
import type { UpstreamResponse } from "#platform/http/http.ts";
import type { Adapter } from "#providers/provider.ts";
import { plainKind } from "#relay/core/billing/settle.ts";
import type { Answer, PricedTarget, Pieces } from "#relay/core/call.ts";
import { answerHeaders, jsonHeaders, type Serving } from "#relay/core/exchange.ts";
import { passBytes } from "#relay/core/response/pass-bytes.ts";
import { startPieces } from "#relay/core/response/pieces.ts";
import { relayWithCache } from "#relay/core/response/relay-with-cache.ts";
import { beginOf, type TextOrHead, isCut, unreadable, wholeText } from "#relay/core/response/whole-text.ts";
import { plainBytes } from "#relay/core/routing/excess.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { EncodedRequest, FailedAttempt } from "#relay/core/upstream/ask.ts";
import { failedForClients } from "#relay/core/upstream/scrub.ts";
import { encodeAdapted, readAdapted } from "./adapted.ts";
import type { PlainCall } from "./plain-call.ts";
import { createPlainJsonReader, createPlainReader } from "./plain-stream.ts";
import { audioUsage, plainUsage } from "./plain-usage.ts";

const MAX_BODY_BYTES = 128 * 1024 * 1024;
const silent: CharacterCount = { narrow: 0, wide: 0 };

interface EncodedPlain extends EncodedRequest {
  adapter: Adapter | undefined;
}

/**
 * Relays calls on OpenAI's wire, the only public one for them. Only the model name in the body is replaced.
 * The response passes unchanged, and the meter reads what it can.
 */
export async function relayPlain(services: RelayServices, requested: PlainCall): Promise<Answer> {
  const call: PlainCall = { ...requested, kind: plainKind(requested.needs, requested.path) };
  if (call.limitedTo !== undefined) call.limit = limitOutput;
  return relayWithCache<EncodedPlain>(services, call, {
    encode(target) {
      const adapter = target.channel.provider.adapters?.[call.path];
      const encoded = adapter === undefined ? encode(call, target) : encodeAdapted(call, target, adapter);
      return { ...encoded, adapter };
    },
    read: (response, sent, serving) => readPlain(call, response, sent, serving),
  });
}

function limitOutput(this: PlainCall, tokens: number): void {
  this.outputLimit = tokens;
  if (this.limitedTo !== undefined) this.bodyFor = this.limitedTo(tokens);
}

async function readPlain(
  call: PlainCall,
  response: UpstreamResponse,
  { adapter }: EncodedPlain,
  { chosen, lifecycle, accept }: Serving,
): Promise<Answer | FailedAttempt> {
  const type = String(response.headers["content-type"] ?? "application/octet-stream");
  const headers = { ...answerHeaders(response.headers, call.dropped ?? []), "content-type": type };
  const whole = adapter && (await readAdapted(response, chosen, adapter, call.memory));
  if (whole !== undefined) {
    if ("error" in whole) return whole;
    accept();
    await lifecycle.settle({ outcome: "complete", reported: whole.usage, delivered: silent });
    return {
      kind: "bytes",
      headers: { ...headers, "content-type": whole.contentType },
      chunks: once(whole.contentType.includes("json") ? createCountFilter()(whole.body) : whole.body),
    };
  }
  const passing = { chosen, lifecycle, counted: (delivered: CharacterCount) => audioUsage(call, delivered) };
  if (!type.startsWith("application/json")) {
    accept();
    const events = type.startsWith("text/event-stream") && {
      isEvents: true,
      failure: (error: GatewayError) => dialects["openai-chat"].encodeStreamError(error, call.requestId),
    };
    const reader = createPlainReader(type);
    return {
      kind: "bytes",
      headers,
      chunks: await startPieces(passBytes({ ...passing, response, reader, ...events })),
    };
  }
  const read = await begin(call, response);
  if ("text" in read && isCut(read.text)) return { error: unreadable(response.status) };
  accept();
  if ("response" in read) {
    const { reader, images } = createPlainJsonReader();
    const settling = () => {
      if (call.needs === "images") countImages(call, images());
    };
    return {
      kind: "bytes",
      headers: { ...headers, ...jsonHeaders(response) },
      chunks: await startPieces(passBytes({ ...passing, response: read.response, reader, settling })),
    };
  }
  const { text } = read;
  const { usage, tally, images } = await usageIn(text);
  const provided = withoutNegativeCounts(failedForClients(text, chosen));
  const body = (await call.spell?.whole(provided)) ?? provided;
  if (call.needs === "images") countImages(call, images);
  await lifecycle.settle({
    outcome: "complete",
    reported: usage,
    delivered: tally,
    counted: audioUsage(call, tally),
  });
  return { kind: "body", headers, body };
}

/** Reads the beginning of the response, or all of it where it must be converted. */
async function begin({ spell, memory }: PlainCall, response: UpstreamResponse): Promise<TextOrHead> {
  const begun = await beginOf(response, memory);
  if ("text" in begun || spell === undefined || spell.isRight(begun.head)) return begun;
  return { text: await wholeText(begun.response, MAX_BODY_BYTES, memory) };
}

/** Characters of a large response that are read in one piece. */
const PIECE = 256 * 1024;

/** Reads the usage. Other requests are served while a large response is read. */
async function usageIn(text: string): Promise<ReturnType<typeof plainUsage>> {
  if (text.length <= PIECE) return plainUsage(text);
  const { reader, images } = createPlainJsonReader();
  for (let at = 0; at < text.length; at += PIECE) {
    // A cut between the halves of a character changes no count: such characters are in no usage.
    reader.push(Buffer.from(text.slice(at, at + PIECE)));
    await nextTurn();
  }
  return { usage: reader.usage, tally: reader.tally, images: images() };
}

/** Maximum number of images that is billed. Larger counts are not plausible. */
const MOST_IMAGES = 128;

/**
 * Raises the estimate and the calls when the response contains more images than were requested, so that they
 * are billed too.
 */
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

/** Encodes the request with OpenAI's format on both sides: the body passes unchanged. */
function encode(call: PlainCall, { upstreamModel: model }: PricedTarget): EncodedRequest {
  return {
    request: {
      method: "POST",
      path: call.path,
      model,
      stream: call.stream,
      headers: { "content-type": call.contentType, accept: call.stream ? "text/event-stream" : "*/*" },
      body: call.bodyFor(model),
      maxBytes: plainBytes(call),
    },
    decodeError: dialects["openai-chat"].decodeError,
  };
}

async function* once(body: Buffer): Pieces<Buffer> {
  yield body;
}
