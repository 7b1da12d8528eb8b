import { scanAnswer } from "#dialects/answer-scan.ts";
import type { Frame, Skimmer, Tally, Wire } from "#dialects/dialect.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import { emptyTally, hasValue, lastObject, tallyObjects, tallyValues } from "#dialects/tally.ts";
import { parseJson } from "#dialects/wire.ts";
import { decodeErrorObject } from "./error.ts";
import { decodeUsage, mergeUsage } from "./usage.ts";

const textKeys = ['text"', 'thinking"', 'partial_json"'];

function typeOf(frame: Frame): string {
  if (frame.event !== undefined) return frame.event;
  return /"type"\s*:\s*"(?<type>\w+)"/.exec(frame.data)?.groups?.["type"] ?? "";
}

export function skimResponse(body: string): { usage: Usage | undefined; tally: Tally } {
  const tally = emptyTally();
  const besideCalls = tallyObjects(body, 'input"', tally);
  for (const key of textKeys) tallyValues(besideCalls, key, tally);
  return { usage: decodeUsage(lastObject(body, 'usage"')), tally };
}

export const scanResponse = () =>
  scanAnswer(
    { texts: ["text", "thinking", "partial_json"], objects: ["input"], kept: ["usage"] },
    (json) => skimResponse(json).usage,
  );

/** From the delta that tells the stop reason on, a client may take the answer for complete. */
export function isLast(frame: Frame): boolean {
  const type = typeOf(frame);
  return type === "message_delta" || type === "message_stop";
}

export function skim(): Skimmer {
  const tally = emptyTally();
  let merged: Wire | undefined;
  let complete = false;
  let error: UpstreamError | undefined;
  return {
    frame(frame) {
      const { data } = frame;
      if (hasValue(data, 'usage"', "{")) merged = mergeUsage(merged, lastObject(data, 'usage"'));
      if (isLast(frame)) complete = true;
      if (typeOf(frame) === "error") error = decodeErrorObject(parseJson(data), 0);
      for (const key of textKeys) tallyValues(data, key, tally);
    },
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
