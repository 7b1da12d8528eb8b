import type { Frame, Skimmer, CharacterCount } from "#dialects/dialect.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import { scanAnswer } from "#dialects/stream/answer-scan.ts";
import { tierIn, withTier } from "#dialects/usage/service-tier.ts";
import { emptyTally, hasValue, lastObject, needsCount, tallyValues } from "#dialects/usage/tally.ts";
import { parseRecord } from "#dialects/wire.ts";
import { decodeEventError } from "./error.ts";
import { countCall, decodeUsage } from "./usage.ts";

/**
 * Returns the event's type. The first `type` is the event's own:
 * it opens the object or follows the event name.
 */
function typeOf(frame: Frame): string {
  if (frame.event !== undefined) return frame.event;
  return /"type"\s*:\s*"(?<type>(?:response\.|error)[\w.]*)"/.exec(frame.data)?.groups?.["type"] ?? "";
}

const providerCall = /"type"\s*:\s*"(?<type>\w+_call)"/g;

function countCalls(json: string, calls: Record<string, number>): void {
  for (const match of json.matchAll(providerCall)) countCall(calls, match.groups?.["type"] ?? "");
}

export function skimResponse(
  body: string,
  counts = needsCount,
): { usage: Usage | undefined; tally: CharacterCount } {
  const calls: Record<string, number> = {};
  countCalls(body, calls);
  const usage = withTier(decodeUsage(lastObject(body, 'usage"'), calls), tierIn(body));
  const tally = emptyTally();
  if (counts(usage)) for (const key of ['text"', 'refusal"', 'arguments"']) tallyValues(body, key, tally);
  return { usage, tally };
}

export const scanResponse = () =>
  scanAnswer(
    {
      texts: ["text", "refusal", "arguments"],
      kept: ["usage", "service_tier", "type"],
      isKept: (key, value) => key !== "type" || value.endsWith('_call"'),
    },
    (json, scan) => {
      const calls: Record<string, number> = {};
      countCalls(
        scan
          .values("type")
          .map((type) => `"type":${type}`)
          .join(),
        calls,
      );
      return withTier(decodeUsage(lastObject(json, 'usage"'), calls), tierIn(json));
    },
  );

export function isLast(frame: Frame): boolean {
  const type = typeOf(frame);
  return type === "response.completed" || type === "response.incomplete";
}

export function skim(): Skimmer {
  const tally = emptyTally();
  const calls: Record<string, number> = {};
  let wireUsage: unknown;
  let tier: string | undefined;
  let complete = false;
  let error: UpstreamError | undefined;
  return {
    frame(frame) {
      const { data } = frame;
      const type = typeOf(frame);
      if (type.endsWith(".delta")) tallyValues(data, 'delta"', tally);
      else if (type === "response.output_item.done") countCalls(data, calls);
      else if (isLast(frame)) complete = true;
      else if (type === "error" || type === "response.failed")
        error ??= decodeEventError(parseRecord(data) ?? {});
      if (hasValue(data, 'usage"', "{")) {
        wireUsage = lastObject(data, 'usage"');
        tier = tierIn(data);
      }
    },
    get usage() {
      return withTier(decodeUsage(wireUsage, calls), tier);
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
