/**
 * Facts about the end of a call, from which `computeOwedUsage` decides the charge. Only this module decides it, for every
 * kind of call. docs/money.md contains the same table. Pure; does not use prices or balances.
 */
import type { Outcome } from "@gateway/shared/usage/log";
import type { CharacterCount } from "#dialects/dialect.ts";
import type { ChatRequest, Usage } from "#dialects/ir.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import type { CallKind, Reach } from "#relay/core/call.ts";
import { meter, type MeteredUsage } from "./meter.ts";

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
