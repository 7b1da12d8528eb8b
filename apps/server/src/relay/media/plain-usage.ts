import { z } from "zod";
import type { CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";
import type { PlainCall } from "./plain-call.ts";

const count = z.int().nonnegative().nullish();

const Read = z.object({ image_tokens: count, audio_tokens: count, cached_tokens: count }).nullish();
const Written = z.object({ image_tokens: count, audio_tokens: count }).nullish();

const Reported = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  input_tokens: count,
  output_tokens: count,
  // Images use the plural, audio the singular.
  input_tokens_details: Read,
  input_token_details: Read,
  prompt_tokens_details: Read,
  output_tokens_details: Written,
  output_token_details: Written,
  /** Duration of a recording, from providers that bill by it. */
  seconds: z.number().nonnegative().nullish(),
  /** The same, beside tokens that do not include it. */
  prompt_audio_seconds: z.number().nonnegative().nullish().catch(undefined),
});

const Answer = z.object({
  usage: Reported.nullish(),
  /** Reranking providers report usage here. */
  meta: z.object({ tokens: Reported.nullish() }).nullish(),
  /** Images, or vectors. */
  data: z.array(z.unknown()).nullish().catch(undefined),
  images: z.array(z.unknown()).nullish().catch(undefined),
  /** Text of a transcription. Billed when the provider reports no usage. */
  text: z.string().nullish(),
  /** Duration of the recording in seconds, in verbose responses. Some providers send a string. */
  duration: z.coerce.number().positive().nullish().catch(undefined),
});

/**
 * Reads the usage in the formats of embeddings, images, audio and rerank providers. `images` is the number of
 * entries. Pure.
 */
export function plainUsage(body: string): {
  usage: Usage | undefined;
  tally: CharacterCount;
  images: number;
} {
  const tally: CharacterCount = { narrow: 0, wide: 0 };
  const parsed = Answer.safeParse(parseSmall(body));
  if (!parsed.success) return { usage: undefined, tally, images: 0 };
  if (typeof parsed.data.text === "string") addTo(tally, parsed.data.text);
  const { usage, meta, text, duration } = parsed.data;
  const seconds =
    typeof text === "string" && typeof duration === "number" ? { seconds: duration } : undefined;
  const reported = usage ?? meta?.tokens ?? seconds;
  return {
    usage: reported === null || reported === undefined ? undefined : usageOf(reported),
    tally,
    images: Math.max(parsed.data.data?.length ?? 0, parsed.data.images?.length ?? 0),
  };
}

/** The provider that bills recordings by duration counts ten tokens per second where it counts tokens. */
export const AUDIO_INPUT_TOKENS_PER_SECOND = 10;

/** Characters per second of very fast speech; the text of subtitles has its times in addition. */
const narrowPerSecond = 25;
const widePerSecond = 8;

/**
 * Returns our own count of a recording without reported usage: by its size, but at least as long as the text
 * takes to say. A file that is compressed more than speech usually is would cost less than it costs the
 * operator. Lower than the reservation, which must cover
 * the dearest provider.
 */
export function audioUsage(
  { audioSeconds = 0, estimate }: Pick<PlainCall, "audioSeconds" | "estimate">,
  delivered: CharacterCount,
): Usage | undefined {
  if (audioSeconds === 0) return undefined;
  const spoken = delivered.narrow / narrowPerSecond + delivered.wide / widePerSecond;
  const input = Math.ceil(Math.max(audioSeconds, spoken) * AUDIO_INPUT_TOKENS_PER_SECOND);
  const textInput = estimate.input - (estimate.audioInput ?? 0);
  return { input: textInput + input, output: tokensOf(delivered), audioInput: input };
}

function usageOf(reported: z.infer<typeof Reported>): Usage | undefined {
  const seconds =
    reported.prompt_audio_seconds ?? (reported.input_tokens === undefined ? reported.seconds : undefined);
  if (typeof seconds === "number") {
    const audioInput = Math.ceil(seconds * AUDIO_INPUT_TOKENS_PER_SECOND);
    const input = audioInput + (reported.prompt_tokens ?? 0);
    return { input, output: reported.completion_tokens ?? 0, audioInput: audioInput, raw: reported };
  }
  const output = reported.output_tokens ?? reported.completion_tokens ?? 0;
  const total = reported.total_tokens;
  const input =
    reported.input_tokens ??
    reported.prompt_tokens ??
    (total === null || total === undefined ? undefined : total - output);
  if (input === undefined || input === null || input < 0) return undefined;
  const details =
    reported.input_tokens_details ?? reported.input_token_details ?? reported.prompt_tokens_details;
  const written = reported.output_tokens_details ?? reported.output_token_details;
  return {
    input,
    output,
    ...(details?.image_tokens ? { imageInput: details.image_tokens } : {}),
    ...(details?.audio_tokens ? { audioInput: details.audio_tokens } : {}),
    ...(details?.cached_tokens ? { cacheRead: details.cached_tokens } : {}),
    ...(written?.image_tokens ? { imageOutput: written.image_tokens } : {}),
    ...(written?.audio_tokens ? { audioOutput: written.audio_tokens } : {}),
    raw: reported,
  };
}
