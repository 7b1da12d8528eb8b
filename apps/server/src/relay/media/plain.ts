import { setImmediate as nextTurn } from "node:timers/promises";
import type { CharacterCount } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { createCountFilter, withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { emptyTally } from "#dialects/usage/tally.ts";
import type { GatewayError } from "#errors.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import type { Adapter } from "#providers/provider.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import { plainKind } from "#relay/core/billing/settle.ts";
import type { Answer, EndedCall, Pieces, PlannedCall, PricedTarget, RoutedCall } from "#relay/core/call.ts";
import { passBytes } from "#relay/core/response/pass-bytes.ts";
import { startPieces } from "#relay/core/response/pieces.ts";
import { relayAndRecord } from "#relay/core/response/relay-and-record.ts";
import { jsonHeaders, selectResponseHeaders } from "#relay/core/response/response-headers.ts";
import {
  beginOf,
  type TextOrHead,
  isCut,
  unreadableError,
  wholeText,
} from "#relay/core/response/whole-text.ts";
import { plainBytes } from "#relay/core/routing/excess.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { EncodedRequest, FailedAttempt } from "#relay/core/upstream/ask.ts";
import { scrubErrorBody } from "#relay/core/upstream/scrub.ts";
import { encodeAdapted, readAdapted } from "./adapted.ts";
import type { PlainCall } from "./plain-call.ts";
import { createPlainJsonReader, createPlainReader } from "./plain-stream.ts";
import { audioUsage, plainUsage } from "./plain-usage.ts";

const MAX_BODY_BYTES = 128 * 1024 * 1024;

interface EncodedPlain extends EncodedRequest {
  adapter: Adapter | undefined;
}

/**
 * Relays calls on OpenAI's wire, the only public one for them. Only the model name in the body is replaced.
 * The response passes unchanged, and the meter reads what it can.
 */
export async function relayPlain(services: RelayServices, requested: PlainCall): Promise<Answer> {
  const received: PlainCall = {
    ...requested,
    kind: plainKind(requested.needs, requested.path),
    canLimitOutput: requested.limitedTo !== undefined,
  };
  return relayAndRecord<EncodedPlain, PlainCall>(services, received, {
    encode({ planned, target }) {
      const adapter = target.channel.provider.adapters?.[received.path];
      const encoded =
        adapter === undefined
          ? encode(planned, target)
          : encodeAdapted({ bodyFor: bodyOf(planned) }, target, adapter);
      return { ...encoded, adapter };
    },
    read: (response, { adapter }, routed, bill) => readPlain(response, adapter, routed, bill),
  });
}

async function readPlain(
  response: UpstreamResponse,
  adapter: Adapter | undefined,
  routed: RoutedCall<PlainCall>,
  bill: CallBill,
): Promise<Answer | FailedAttempt> {
  const { planned, target } = routed;
  const call = planned.received;
  const type = String(response.headers["content-type"] ?? "application/octet-stream");
  const headers = { ...selectResponseHeaders(response.headers, call.dropped ?? []), "content-type": type };
  const whole = adapter && (await readAdapted(response, target, adapter, call.memory));
  if (whole !== undefined) {
    if ("error" in whole) return whole;
    bill.accept(routed);
    await bill.settle({ routed, outcome: "complete", reported: whole.usage, delivered: emptyTally() });
    return {
      kind: "bytes",
      headers: { ...headers, "content-type": whole.contentType },
      chunks: once(whole.contentType.includes("json") ? createCountFilter()(whole.body) : whole.body),
    };
  }
  const { audioSeconds } = call;
  const recording = { audioSeconds, estimate: planned.plan.estimate };
  const passing = {
    routed,
    bill,
    counted: (delivered: CharacterCount) => audioUsage(recording, delivered),
  };
  if (!type.startsWith("application/json")) {
    bill.accept(routed);
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
  if ("text" in read && isCut(read.text)) return { error: unreadableError(response.status) };
  bill.accept(routed);
  if ("response" in read) {
    const { reader, images } = createPlainJsonReader();
    return {
      kind: "bytes",
      headers: { ...headers, ...jsonHeaders(response) },
      chunks: await startPieces(
        passBytes({
          ...passing,
          response: read.response,
          reader,
          delivered: () => deliveredImages(planned, images()),
        }),
      ),
    };
  }
  const { text } = read;
  const { usage, tally, images } = await usageIn(text);
  const provided = withoutNegativeCounts(scrubErrorBody(text, target));
  const body = (await call.responseFormat?.convert(provided)) ?? provided;
  await bill.settle({
    routed,
    outcome: "complete",
    reported: usage,
    delivered: tally,
    counted: audioUsage(recording, tally),
    ...deliveredImages(planned, images),
  });
  return { kind: "body", headers, body };
}

/** Reads the beginning of the response, or all of it where it must be converted. */
async function begin({ responseFormat, memory }: PlainCall, response: UpstreamResponse): Promise<TextOrHead> {
  const begun = await beginOf(response, memory);
  if ("text" in begun || responseFormat === undefined || responseFormat.matches(begun.head)) return begun;
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
 * Returns the calls and the estimate of a response that contains more images than were requested, so that they
 * are billed too.
 */
function deliveredImages(
  { received, plan: { estimate } }: PlannedCall<PlainCall>,
  images: number,
): Pick<EndedCall, "calls" | "estimate"> {
  const calls = Math.min(images, MOST_IMAGES);
  if (received.needs !== "images" || calls <= received.calls) return {};
  const output = Math.ceil(estimate.output * (calls / Math.max(1, received.calls)));
  const imageOutput = estimate.imageOutput === undefined ? {} : { imageOutput: output };
  return { calls, estimate: { ...estimate, output, ...imageOutput } };
}

/** Returns the function that creates the body, with the output limit that the balance allows. */
function bodyOf({ received, plan: { outputLimit } }: PlannedCall<PlainCall>): PlainCall["bodyFor"] {
  const limited = outputLimit === undefined ? undefined : received.limitedTo?.(outputLimit);
  return limited ?? received.bodyFor;
}

/** Encodes the request with OpenAI's format on both sides: the body passes unchanged. */
function encode(planned: PlannedCall<PlainCall>, { upstreamModel: model }: PricedTarget): EncodedRequest {
  const { path, stream, contentType, needs, calls, raw } = planned.received;
  return {
    request: {
      method: "POST",
      path,
      model,
      stream,
      headers: { "content-type": contentType, accept: stream ? "text/event-stream" : "*/*" },
      body: bodyOf(planned)(model),
      maxBytes: plainBytes({ needs, estimate: planned.plan.estimate, calls, raw }),
    },
    decodeError: dialects["openai-chat"].decodeError,
  };
}

async function* once(body: Buffer): Pieces<Buffer> {
  yield body;
}
