import type { Frame, Skimmer, CharacterCount } from "#dialects/dialect.ts";
import type { ChatRequest, Usage } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { scanAnswer } from "#dialects/stream/answer-scan.ts";
import { openRepeatedFrames } from "#dialects/stream/repeated-frames.ts";
import { tierIn, withTier } from "#dialects/usage/service-tier.ts";
import { emptyTally, hasText, hasValue, lastObject, needsCount, tallyValues } from "#dialects/usage/tally.ts";
import { decodeErrorObject } from "./error.ts";
import { decodeUsage, latestUsage } from "./usage.ts";

const textKeys = ['content"', 'arguments"', 'refusal"', 'transcript"'];

const allTextKeys = [...textKeys, 'reasoning_content"', 'reasoning"'];

function tallyText(json: string, tally: CharacterCount): void {
  for (const key of textKeys) tallyValues(json, key, tally);
  // Providers that use both names for reasoning send the same text twice.
  if (!tallyValues(json, 'reasoning_content"', tally)) tallyValues(json, 'reasoning"', tally);
}

export function skimResponse(
  body: string,
  counts = needsCount,
): { usage: Usage | undefined; tally: CharacterCount } {
  const usage = withTier(decodeUsage(lastObject(body, 'usage"')), tierIn(body));
  const tally = emptyTally();
  if (counts(usage)) tallyText(body, tally);
  return { usage, tally };
}

export const scanResponse = () =>
  scanAnswer(
    {
      texts: ["content", "arguments", "refusal", "transcript", "reasoning_content", "reasoning"],
      doubles: { key: "reasoning", of: "reasoning_content" },
      kept: ["usage", "service_tier"],
    },
    (json) => skimResponse(json).usage,
  );

export function isLast(frame: Frame): boolean {
  return frame.data === "[DONE]" || hasText(frame.data, 'finish_reason"');
}

/** Returns whether the chunk has no choice and only reports the usage. */
function isUsageOnly(frame: Frame): boolean {
  return hasValue(frame.data, 'usage"', "{") && hasValue(frame.data, 'choices"', "[]");
}

export function dropFrame(frame: Frame, request: ChatRequest): boolean {
  return request.includeUsage !== true && isUsageOnly(frame);
}

const nullUsage = /,\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,/;

/**
 * Removes `"usage": null`, which chunks contain when usage follows.
 * Strict clients that did not request usage reject the field.
 */
export function withoutUsage(raw: string, request: ChatRequest): string {
  return request.includeUsage === true || !raw.includes('"usage"') ? raw : raw.replace(nullUsage, "");
}

export function skim(): Skimmer {
  const tally = emptyTally();
  const repeated = openRepeatedFrames(allTextKeys, tally);
  let usage: Usage | undefined;
  let tier: string | undefined;
  // Plain fields, because creating an object with accessors takes longer than reading some chunks.
  const skimmer: { -readonly [Key in keyof Skimmer]: Skimmer[Key] } = {
    tally,
    usage: undefined,
    complete: false,
    error: undefined,
    frame(frame) {
      const { data } = frame;
      const before = { ...tally };
      const isEnd = isLast(frame);
      const hasUsage = hasValue(data, 'usage"', "{");
      const hasError = hasValue(data, 'error"', "{");
      if (isEnd) skimmer.complete = true;
      tier = tierIn(data) ?? tier;
      if (hasUsage) usage = latestUsage(lastObject(data, 'usage"'), usage);
      skimmer.usage = withTier(usage, tier);
      if (hasError) skimmer.error = decodeErrorObject(parseJson(data), 0);
      tallyText(data, tally);
      if (isEnd || hasUsage || hasError) repeated.forget();
      else repeated.learn(frame, before);
    },
    repeats: repeated.take,
  };
  return skimmer;
}
