import type { CharacterCount } from "#dialects/dialect.ts";
import type { ChatEvent, ChatResponse, Part, Usage } from "#dialects/ir.ts";
import { type Estimate, tokensOf } from "#domain/pricing/estimate.ts";
import { plausibleUsage, mostOf } from "#domain/pricing/plausible.ts";

/**
 * Meters the usage of a call: the provider's report where plausible, our own count where it reports none.
 * Pure.
 */
export interface MeteredUsage {
  usage: Usage;
  estimated: boolean;
  /** Counts of the provider that were not billed because they are implausible. */
  implausible?: Record<string, number>;
}

/** Percent of the reserved tokens billed for complete audio or images when the provider reports no usage. */
const unreportedPercent = { audioOutput: 50, imageOutput: 100 } as const;

/**
 * @param reported usage reported by the provider, if any
 * @param complete whether the provider finished; a partial report counts at least what was delivered
 * @param delivered text sent to the client
 * @param expected the estimate made before the call: its input, and the maximum that is billed
 */
export function meter(
  reported: Usage | undefined,
  complete: boolean,
  delivered: CharacterCount,
  expected: Estimate,
): MeteredUsage {
  const counted = Math.min(tokensOf(delivered), mostOf(expected).output);
  if (reported === undefined) return { usage: ourCount(counted, complete, expected), estimated: true };
  const { usage, implausible, estimated } = plausibleUsage(
    reported,
    { input: expected.input, output: counted },
    expected,
  );
  const marks = implausible === undefined ? { estimated } : { estimated, implausible };
  if (complete || counted <= usage.output) return { usage, ...marks };
  return { usage: { ...usage, output: counted }, ...marks, estimated: true };
}

function ourCount(text: number, complete: boolean, expected: Estimate): Usage {
  const { input, imageInput, audioInput } = expected;
  const usage: Usage = { input, output: text };
  if (imageInput !== undefined) usage.imageInput = imageInput;
  if (audioInput !== undefined) usage.audioInput = audioInput;
  if (!complete) return usage;
  for (const kind of ["audioOutput", "imageOutput"] as const) {
    const tokens = Math.ceil(((expected[kind] ?? 0) * unreportedPercent[kind]) / 100);
    if (tokens === 0) continue;
    usage[kind] = tokens;
    usage.output += tokens;
  }
  return usage;
}

/** Counts characters by script. The dialects' skimmers use the same split. */
export function addTo(tally: CharacterCount, text: string): void {
  let wide = 0;
  let spaces = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x300) wide += 1;
    else if (code <= 0x20) spaces += 1;
  }
  tally.wide += wide;
  if (spaces > 0) tally.spaces = (tally.spaces ?? 0) + spaces;
  tally.narrow += text.length - wide;
}

export function tallyEvent(tally: CharacterCount, event: ChatEvent): void {
  switch (event.type) {
    case "text":
    case "refusal":
    case "reasoning":
    case "tool-input":
      addTo(tally, event.text);
      break;
    case "tool-call":
      addTo(tally, event.name);
      break;
    case "start":
    case "reasoning-proof":
    case "citation":
    case "media":
    case "foreign":
    case "stop":
    case "finish":
    case "error":
      break;
  }
}

export function tallyResponse(response: ChatResponse): CharacterCount {
  const tally = { narrow: 0, wide: 0 };
  for (const choice of response.choices) for (const part of choice.parts) addTo(tally, textOf(part));
  return tally;
}

function textOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "refusal":
    case "reasoning":
      return part.text;
    case "tool-call":
      return part.name + part.input;
    case "audio":
      return part.transcript ?? "";
    case "image":
    case "file":
    case "tool-result":
    case "foreign":
      return "";
  }
}
