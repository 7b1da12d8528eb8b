import type { Frame, Skimmer, CharacterCount, Wire } from "#dialects/dialect.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { scanAnswer } from "#dialects/stream/answer-scan.ts";
import { openRepeatedFrames } from "#dialects/stream/repeated-frames.ts";
import {
  emptyTally,
  hasValue,
  lastObject,
  needsCount,
  tallyObjects,
  tallyValues,
} from "#dialects/usage/tally.ts";
import { decodeErrorObject } from "./error.ts";
import { decodeUsage, mergeUsage } from "./usage.ts";

const textKeys = ['text"', 'thinking"', 'partial_json"'];

function typeOf(frame: Frame): string {
  if (frame.event !== undefined) return frame.event;
  return /"type"\s*:\s*"(?<type>\w+)"/.exec(frame.data)?.groups?.["type"] ?? "";
}

export function skimResponse(
  body: string,
  counts = needsCount,
): { usage: Usage | undefined; tally: CharacterCount } {
  const usage = decodeUsage(lastObject(body, 'usage"'));
  const tally = emptyTally();
  if (!counts(usage)) return { usage, tally };
  const besideCalls = tallyObjects(body, 'input"', tally);
  for (const key of textKeys) tallyValues(besideCalls, key, tally);
  return { usage, tally };
}

export const scanResponse = () =>
  scanAnswer(
    { texts: ["text", "thinking", "partial_json"], objects: ["input"], kept: ["usage"] },
    (json) => skimResponse(json).usage,
  );

/**
 * Returns whether the frame lets a client take the response for complete:
 * the delta with the stop reason, and all later frames.
 */
export function isLast(frame: Frame): boolean {
  const type = typeOf(frame);
  return type === "message_delta" || type === "message_stop";
}

export function skim(): Skimmer {
  const tally = emptyTally();
  const repeated = openRepeatedFrames(textKeys, tally);
  let merged: Wire | undefined;
  let complete = false;
  let error: UpstreamError | undefined;
  return {
    frame(frame) {
      const { data } = frame;
      const before = { ...tally };
      const hasUsage = hasValue(data, 'usage"', "{");
      const isEnd = isLast(frame);
      const isError = typeOf(frame) === "error";
      if (hasUsage) merged = mergeUsage(merged, lastObject(data, 'usage"'));
      if (isEnd) complete = true;
      if (isError) error = decodeErrorObject(parseJson(data), 0);
      for (const key of textKeys) tallyValues(data, key, tally);
      if (hasUsage || isEnd || isError) repeated.forget();
      else repeated.learn(frame, before);
    },
    repeats: repeated.take,
    get usage() {
      return decodeUsage(merged);
    },
    tally,
    get complete() {
      return complete;
    },
    get error() {
      return error;
    },
  };
}
