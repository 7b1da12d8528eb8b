/**
 * Facts about the end of a call, from which `computeOwedUsage` decides the charge. Only this module decides it, for every
 * kind of call. docs/money.md contains the same table. Pure; does not use prices or balances.
 */
import type { Outcome } from "@gateway/shared/usage/log";
import type { CharacterCount } from "#dialects/dialect.ts";
import type { ChatRequest, Usage } from "#dialects/ir.ts";
import { type Estimate, tokensOf } from "#domain/pricing/estimate.ts";
import { plausibleUsage, mostOf } from "#domain/pricing/plausible.ts";
import type { CallKind, Reach } from "#relay/core/call.ts";

export interface CallEnd {
  kind: CallKind;
  reach: Reach;
  /**
   * Who ended the call: the response is complete, the client (or its account) is gone, the provider broke
   * off, or our node stopped or died.
   */
  ended: Exclude<Outcome, "failed">;
  /** Usage reported by the provider so far. */
  reported: Usage | undefined;
  /** `reported` is the provider's final report, not an intermediate one. */
  final: boolean;
  delivered: CharacterCount;
  /** Our own count of more than text. Used when the provider reports no usage. */
  counted: Usage | undefined;
  /** The reserved usage. */
  reserved: Estimate;
  /** The client left, and the rest of the response was not read, or not to its end. */
  isCut: boolean;
  /** Tokens that the model may have written before its first text. */
  hidden: number;
}

/**
 * Minimum charge in percent of the reserved output when the client disconnects and no usage of the provider
 * arrives. The delivered text does not show how much of such output was produced.
 */
export const uncountedPercent: Record<CallKind, { sent: number; answering: number; cut: number }> = {
  text: { sent: 0, answering: 0, cut: 0 },
  reasoning: { sent: 25, answering: 25, cut: 50 },
  images: { sent: 50, answering: 100, cut: 100 },
  speech: { sent: 25, answering: 50, cut: 100 },
  transcription: { sent: 25, answering: 25, cut: 50 },
  // Zero, accepted or not: a task that was not accepted has nothing to refund later.
  task: { sent: 0, answering: 0, cut: 0 },
  // The provider stores what it has received, although no one knows its name.
  storage: { sent: 100, answering: 100, cut: 100 },
};

/** The usage to charge, and how it became known. */
interface MeteredUsage {
  usage: Usage;
  estimated: boolean;
  /** Counts of the provider that were not billed because they are implausible. */
  implausible?: Record<string, number>;
}

/** Returns the usage to charge; undefined when the call costs nothing. */
export function computeOwedUsage(end: CallEnd): MeteredUsage | undefined {
  const { kind, reach, ended, reserved, isCut } = end;
  if (reach === "not sent" || reach === "refused") return undefined;
  if (ended === "complete") return count(end, true);
  if (kind === "task") return undefined;
  if (ended === "upstream-died" || ended === "interrupted")
    return reach === "answering" ? count(end, false) : undefined;
  if (end.final && end.reported !== undefined) return count(end, true);
  const counted = count(end, false);
  const percent = uncountedPercent[kind][isCut && reach === "answering" ? "cut" : reach];
  if (percent === 0) return counted;
  return { usage: atLeast(withUnreported(counted.usage, end), reserved, percent), estimated: true };
}

/** Adds what only a report of the provider would have shown. */
function withUnreported(usage: Usage, { kind, reserved, hidden }: CallEnd): Usage {
  if (kind === "reasoning") return withHidden(usage, reserved, hidden);
  const { toolCalls } = reserved;
  return kind === "storage" && toolCalls !== undefined ? { ...usage, toolCalls } : usage;
}

/** Adds what the model may have written before its first text, within what was reserved. */
function withHidden(usage: Usage, { output: most }: Estimate, hidden: number): Usage {
  const output = Math.max(usage.output, Math.min(usage.output + hidden, most));
  return output === usage.output ? usage : { ...usage, output };
}

function count({ reported, delivered, counted, reserved }: CallEnd, complete: boolean): MeteredUsage {
  if (reported === undefined && counted !== undefined) return { usage: counted, estimated: true };
  return meter(reported, complete, delivered, reserved);
}

/** Percent of the reserved tokens billed for complete audio or images when the provider reports no usage. */
const unreportedPercent = { audioOutput: 50, imageOutput: 100 } as const;

/**
 * Returns the provider's report where it is plausible, and our own count where it reports none.
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

const outputKinds = ["audioOutput", "imageOutput", "reasoning"] as const;

function atLeast(usage: Usage, reserved: Estimate, percent: number): Usage {
  // The longest response is reserved for a request without a limit; a usual one is far shorter.
  const { open } = reserved;
  const share = open === undefined ? 1 : open.usual / open.each;
  const part = (tokens: number) => Math.ceil((tokens * share * percent) / 100);
  const raised: Usage = { ...usage, output: Math.max(usage.output, part(reserved.output)) };
  for (const kind of outputKinds) {
    const tokens = Math.max(usage[kind] ?? 0, part(reserved[kind] ?? 0));
    if (tokens > 0) raised[kind] = tokens;
  }
  return raised;
}

/** Returns the kind of a chat: images or audio if reserved, reasoning if requested. */
export function chatKind({ reasoning }: Pick<ChatRequest, "reasoning">, reserved: Estimate): CallKind {
  if ((reserved.imageOutput ?? 0) > 0) return "images";
  if ((reserved.audioOutput ?? 0) > 0) return "speech";
  if (reserved.thinks === true) return "reasoning";
  if (reasoning === undefined || reasoning.effort === "none") return "text";
  const { effort, budgetTokens = 0, adaptive = false } = reasoning;
  return effort !== undefined || budgetTokens > 0 || adaptive ? "reasoning" : "text";
}

/** Returns the kind of a call of OpenAI's other endpoints. @param path below the provider's address */
export function plainKind(needs: string, path: string): CallKind {
  if (needs === "images") return "images";
  if (needs !== "audio") return "text";
  return path.endsWith("/speech") ? "speech" : "transcription";
}
