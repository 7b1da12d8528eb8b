import type { Tally } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { mostOf } from "#domain/pricing/plausible.ts";
import { GatewayError } from "#errors.ts";
import { TransportError } from "#platform/http.ts";
import type { Call } from "./call.ts";

/**
 * Where an answer ends that is far longer than its request allows: by its text, its bytes and its time. What is beyond
 * would not be billed. The table is in docs/money.md.
 */

/** Our count of a text may be above the provider's: white space and tables have many characters in a token. */
const COUNT_FACTOR = 2;
const COUNT_SPARE = 1_000;

const tooLong: UpstreamError = {
  kind: "server",
  message: "The upstream's answer is far longer than the request allows.",
  status: 200,
  tooLong: true,
};

/** Why an answer was ended that had passed a limit of ours; undefined for every other end. */
export function limitError(ended: unknown): GatewayError | undefined {
  const isLimit = ended === tooLong || (ended instanceof TransportError && ended.isLimit);
  return isLimit ? answerTooLong("answer_too_long_charged") : undefined;
}

/** @param reason says what the call costs */
export function answerTooLong(reason: "answer_too_long_charged" | "answer_too_long_free"): GatewayError {
  return new GatewayError("answer_too_long", { reason });
}

/** Answers the error that ends a stream, once its text is too long. */
export function excessOf({ estimate }: Pick<Call, "estimate">): (tally: Tally) => UpstreamError | undefined {
  const most = mostOf(estimate).output * COUNT_FACTOR + COUNT_SPARE;
  return (tally) => (tokensOf(tally) > most ? tooLong : undefined);
}

const MEGABYTE = 1024 * 1024;
/** A token of text in its frame, with the probabilities of others where those were requested. */
const BYTES_PER_TOKEN = 1_024;
const BYTES_PER_TOKEN_WITH_LOGPROBS = 8_192;
/** A token of a picture or of sound, as base64. */
const BYTES_PER_MEDIA_TOKEN = 16_384;
/** Headers, and events without text. */
const SPARE_BYTES = 2 * MEGABYTE;
/** Results of searches and files, which come with some answers. */
const UNSEEN_BYTES = 64 * MEGABYTE;
/** Some providers repeat the request in several events of their answer. */
const REPEATS = 4;

/** The most bytes that an answer to a chat request may have. */
export function answerBytes({
  estimate,
  raw,
  request,
}: Pick<Call, "estimate" | "raw"> & { request: { logprobs?: boolean } }): number {
  const { output } = mostOf(estimate);
  const media = estimate.audioOutput !== undefined || estimate.imageOutput !== undefined;
  const text = request.logprobs === true ? BYTES_PER_TOKEN_WITH_LOGPROBS : BYTES_PER_TOKEN;
  const perToken = media ? BYTES_PER_MEDIA_TOKEN : text;
  const unseen = estimate.isUnseen === true ? UNSEEN_BYTES : 0;
  return SPARE_BYTES + output * COUNT_FACTOR * perToken + (raw?.length ?? 0) * REPEATS + unseen;
}

/** A picture as base64, a list of vectors. */
const BYTES_PER_IMAGE = 64 * MEGABYTE;
const BYTES_OF_VECTORS = 128 * MEGABYTE;

/** The most bytes that an answer of OpenAI's other endpoints may have. */
export function plainBytes({
  needs,
  estimate,
  calls,
  raw,
}: Pick<Call, "needs" | "estimate" | "calls" | "raw">): number {
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
