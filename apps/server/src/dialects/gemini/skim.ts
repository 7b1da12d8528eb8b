import type { Frame, Skimmer, CharacterCount } from "#dialects/dialect.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { scanAnswer } from "#dialects/stream/answer-scan.ts";
import {
  emptyTally,
  hasText,
  hasValue,
  lastObject,
  needsCount,
  tallyObjects,
  tallyValues,
} from "#dialects/usage/tally.ts";
import { readAs } from "#dialects/wire.ts";
import { decodeErrorObject } from "./error.ts";
import { searchesOf } from "./response.ts";
import { geminiAnswer } from "./schema.ts";
import { decodeUsage } from "./usage.ts";

function tallyText(json: string, tally: CharacterCount): void {
  tallyValues(tallyObjects(json, 'args"', tally), 'text"', tally);
}

/** Counts searches. Only a response with searches is parsed. */
function countSearches(json: string): number {
  if (!hasValue(json, 'webSearchQueries"', "[")) return 0;
  const answer = readAs(geminiAnswer, parseJson(json));
  return answer === undefined ? 0 : searchesOf(answer);
}

export function skimResponse(
  body: string,
  counts = needsCount,
): { usage: Usage | undefined; tally: CharacterCount } {
  const usage = decodeUsage(lastObject(body, 'usageMetadata"'), countSearches(body));
  const tally = emptyTally();
  if (counts(usage)) tallyText(body, tally);
  return { usage, tally };
}

export const scanResponse = () =>
  scanAnswer(
    { texts: ["text"], objects: ["args"], kept: ["usageMetadata", "webSearchQueries"] },
    (json, scan) => {
      const candidates = scan
        .values("webSearchQueries")
        .map((queries) => ({ groundingMetadata: { webSearchQueries: parseJson(queries) } }));
      return decodeUsage(lastObject(json, 'usageMetadata"'), countSearches(JSON.stringify({ candidates })));
    },
  );

function isBlocked(json: string): boolean {
  return hasText(json, 'blockReason"');
}

export function isLast(frame: Frame): boolean {
  return hasText(frame.data, 'finishReason"') || isBlocked(frame.data);
}

export function skim(): Skimmer {
  const tally = emptyTally();
  /** Every chunk contains the usage; only the last one is read. */
  let counted = "";
  let searches = 0;
  let complete = false;
  let error: UpstreamError | undefined;
  return {
    frame(frame) {
      const { data } = frame;
      if (isLast(frame)) complete = true;
      if (hasValue(data, 'usageMetadata"', "{")) counted = data;
      searches += countSearches(data);
      if (hasValue(data, 'error"', "{")) error = decodeErrorObject(parseJson(data), 0);
      tallyText(data, tally);
    },
    get usage() {
      return decodeUsage(lastObject(counted, 'usageMetadata"'), searches);
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
