/**
 * Limits for responses far longer than their request allows: by text, bytes and time. Anything beyond would
 * not be billed. docs/money.md contains the table.
 */
import type { CharacterCount } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { mostOf } from "#domain/pricing/plausible.ts";
import { GatewayError } from "#errors.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { ReceivedCall } from "#relay/core/call.ts";

/** Our token count may exceed the provider's: white space and tables have many characters per token. */
const COUNT_FACTOR = 2;
const COUNT_SPARE = 1_000;

const tooLong: UpstreamError = {
  kind: "server",
  message: "The upstream's answer is far longer than the request allows.",
  status: 200,
  tooLong: true,
};

/** Returns the error for a response that was ended by one of our limits; undefined for any other end. */
export function limitError(ended: unknown): GatewayError | undefined {
  const isLimit = ended === tooLong || (ended instanceof TransportError && ended.isLimit);
  return isLimit ? answerTooLong("answer_too_long_charged") : undefined;
}

/** @param reason whether the call is charged */
export function answerTooLong(reason: "answer_too_long_charged" | "answer_too_long_free"): GatewayError {
  return new GatewayError("answer_too_long", { reason });
}

/** Returns a check that yields the error to end a stream with once its text is too long. */
export function excessOf({
  estimate,
}: Pick<ReceivedCall, "estimate">): (tally: CharacterCount) => UpstreamError | undefined {
  const most = mostOf(estimate).output * COUNT_FACTOR + COUNT_SPARE;
  return (tally) => (tokensOf(tally) > most ? tooLong : undefined);
}

const MEGABYTE = 1024 * 1024;
/** Bytes of one text token in its frame, without and with the probabilities of alternatives. */
const BYTES_PER_TOKEN = 1_024;
const BYTES_PER_TOKEN_WITH_LOGPROBS = 8_192;
/** Bytes of one image or audio token, in base64. */
const BYTES_PER_MEDIA_TOKEN = 16_384;
/** Bytes for headers, and for events without text. */
const SPARE_BYTES = 2 * MEGABYTE;
/** Bytes for search and file results, which some responses include. */
const UNSEEN_BYTES = 64 * MEGABYTE;
/** Some providers repeat the request in several events of their response. */
const REPEATS = 4;

/** Returns the maximum size of a response to a chat request, in bytes. */
export function answerBytes({
  estimate,
  raw,
  request,
}: Pick<ReceivedCall, "estimate" | "raw"> & { request: { logprobs?: boolean } }): number {
  const { output } = mostOf(estimate);
  const media = estimate.audioOutput !== undefined || estimate.imageOutput !== undefined;
  const text = request.logprobs === true ? BYTES_PER_TOKEN_WITH_LOGPROBS : BYTES_PER_TOKEN;
  const perToken = media ? BYTES_PER_MEDIA_TOKEN : text;
  const unseen = estimate.isUnseen === true ? UNSEEN_BYTES : 0;
  return SPARE_BYTES + output * COUNT_FACTOR * perToken + (raw?.length ?? 0) * REPEATS + unseen;
}

/** Bytes of an image in base64, and of a list of vectors. */
const BYTES_PER_IMAGE = 64 * MEGABYTE;
const BYTES_OF_VECTORS = 128 * MEGABYTE;

/** Returns the maximum size of a response of OpenAI's other endpoints, in bytes. */
export function plainBytes({
  needs,
  estimate,
  calls,
  raw,
}: Pick<ReceivedCall, "needs" | "estimate" | "calls" | "raw">): number {
  const text = mostOf(estimate).output * BYTES_PER_MEDIA_TOKEN + (raw?.length ?? 0) * REPEATS;
  switch (needs) {
    case "images":
      return SPARE_BYTES + calls * BYTES_PER_IMAGE;
    case "embeddings":
    case "rerank":
      return BYTES_OF_VECTORS;
    default:
      return SPARE_BYTES + text;
  }
}
