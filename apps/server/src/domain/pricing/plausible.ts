/**
 * Decides which reported usage is billed: no count above what the request could have produced. An invalid
 * count is replaced with the gateway's own. See the table in docs/money.md. Pure; must not depend on prices.
 */
import { entryOf } from "@gateway/shared/lookup-table";
import type { Usage } from "#dialects/ir.ts";
import { usageParts } from "#dialects/usage/tokens.ts";
import type { Estimate } from "./estimate.ts";

/** Factor by which a count may exceed the maximum that its request allows. */
export const plausibleFactor = 4;
/** Input tokens that providers add themselves: instructions for tools, the date, their own prompts. */
export const addedInput = 1_000;
/**
 * Maximum input tokens from what the provider stores, fetches or searches, and from files: the longest context
 * window of a model. How many pages, seconds or pictures a file has does not show in its size.
 */
export const unseenInput = 2_000_000;
/** Longest output of current models, for requests without a limit. Reserved for models that are not in the list. */
export const longestAnswer = 131_072;
/** Maximum unrequested calls of a provider's tool: some models search on their own. */
export const unaskedToolCalls = 20;

/** Maximum tokens that a call may be billed for. */
export interface Most {
  input: number;
  output: number;
}

export function mostOf(estimate: Estimate): Most {
  const { input, output, isOpen, isUnseen, mostInput, thinks, open, searches = 0 } = estimate;
  const isBounded = isUnseen !== true && mostInput === undefined;
  // Not every provider counts thinking against the limit of the output.
  const isLong = isOpen === true || thinks === true;
  return {
    // Each round of searches reads the request again.
    input: input * (plausibleFactor + searches) + addedInput * (1 + searches) + (isBounded ? 0 : unseenInput),
    output: Math.max(output * (open === undefined ? plausibleFactor : 1), isLong ? longestAnswer : 0),
  };
}

export interface PlausibleUsage {
  usage: Usage;
  /** Counts that were replaced, as the provider reported them; undefined when all were accepted. */
  implausible: Record<string, number> | undefined;
  /** A count was missing or implausible, so the gateway's own count replaced it. */
  estimated: boolean;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * Returns the usage to bill.
 * @param reported by the provider
 * @param ours the gateway's own count of input and output, used where the provider's count is missing
 * @param expected the estimate of the request
 */
export function plausibleUsage(
  reported: Usage,
  ours: Pick<Usage, "input" | "output">,
  expected: Estimate,
): PlausibleUsage {
  const most = mostOf(expected);
  const usage: Usage = { ...reported };
  // Deleting a key makes the object slower, so only where there is one.
  if (usage.missing !== undefined) delete usage.missing;
  const implausible: Record<string, number> = {};
  let estimated = false;
  const doubt = (kind: string, value: unknown) => {
    estimated = true;
    if (typeof value === "number" && Number.isFinite(value)) implausible[kind] = value;
  };
  const wrote = ours.output > 0;
  // A transcript that is billed by the length of its recording has no output.
  const isByLength = reported.audioInput !== undefined && reported.audioInput === reported.input;
  for (const kind of ["input", "output"] as const) {
    const value = reported[kind];
    const isMissing = reported.missing?.includes(kind) === true || !isCount(value);
    // Zero is not a count where text was exchanged, nor is thinking alone where the response has text.
    const isNothing =
      kind === "output"
        ? wrote && !isByLength && value <= Math.min(reported.reasoning ?? 0, ours.output - 1)
        : value === 0 && (reported.output > 0 || wrote);
    if (isMissing || isNothing) {
      if (ours[kind] > 0 || !isCount(value)) doubt(kind, isMissing ? undefined : value);
      usage[kind] = ours[kind];
    } else if (value > most[kind]) {
      doubt(kind, value);
      usage[kind] = most[kind];
    }
  }
  for (const kind of usageParts) {
    const value = usage[kind];
    if (value === undefined) continue;
    // Audio output requires a request for it, and may cost many times as much as text.
    const isUnasked = kind === "audioOutput" && value > 0 && expected.audioOutput === undefined;
    if (isCount(value) && !isUnasked) continue;
    doubt(kind, value);
    delete usage[kind];
  }
  const toolCalls = believedTools(reported.toolCalls, expected.toolCalls, doubt);
  return {
    usage: toolCalls === undefined ? usage : { ...usage, toolCalls },
    implausible: Object.keys(implausible).length > 0 ? implausible : undefined,
    estimated,
  };
}

function believedTools(
  reported: Usage["toolCalls"],
  expected: Usage["toolCalls"],
  doubt: (kind: string, value: unknown) => void,
): Usage["toolCalls"] {
  if (reported === undefined) return undefined;
  const counts = Object.entries(reported).map(([name, value]): [string, number] => {
    const requested = entryOf(expected ?? {}, name) ?? 0;
    const most = Math.max(requested * plausibleFactor, unaskedToolCalls);
    if (isCount(value) && value <= most) return [name, value];
    doubt(`tool:${name}`, value);
    return [name, isCount(value) ? most : requested];
  });
  return Object.fromEntries(counts);
}
