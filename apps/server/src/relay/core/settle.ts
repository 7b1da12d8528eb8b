import type { Outcome } from "@gateway/shared/usage/log";
import type { Tally } from "#dialects/dialect.ts";
import type { ChatRequest, Usage } from "#dialects/ir.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import type { CallKind, Reach } from "./call.ts";
import { meter, type Metered } from "./meter.ts";

/**
 * What a call owes when it ends: the only place that decides it, for every kind of call. The same table is in
 * docs/money.md. Pure; it must not know prices or balances.
 */

export interface CallEnd {
  kind: CallKind;
  reach: Reach;
  /** Who ended it: the answer is complete, the client (or its account) is gone, the provider broke off, or our node died. */
  ended: Exclude<Outcome, "failed">;
  /** The provider's, as far as it was reported. */
  reported: Usage | undefined;
  /** `provider` is the provider's last report, not one on the way. */
  final: boolean;
  delivered: Tally;
  /** Our own count where it is of more than text: stands in for a provider that reports nothing. */
  counted: Usage | undefined;
  /** What was reserved for. */
  reserved: Estimate;
}

/**
 * Percent of the reserved output that a call costs at least when its client disconnects and the provider's usage did
 * not arrive: such output cannot be counted from the text that passed.
 */
export const uncountedPercent: Record<CallKind, { sent: number; answering: number }> = {
  text: { sent: 0, answering: 0 },
  reasoning: { sent: 25, answering: 25 },
  images: { sent: 50, answering: 100 },
  speech: { sent: 25, answering: 50 },
  transcription: { sent: 25, answering: 25 },
  // Accepted or not: a task that was not accepted has nothing that could be paid back later.
  task: { sent: 0, answering: 0 },
};

/** The usage that is charged; undefined when the call costs nothing. */
export function owed(end: CallEnd): Metered | undefined {
  const { kind, reach, ended, reserved } = end;
  if (reach === "not sent" || reach === "refused") return undefined;
  if (ended === "complete") return count(end, true);
  if (kind === "task") return undefined;
  if (ended === "upstream-died" || ended === "interrupted")
    return reach === "answering" ? count(end, false) : undefined;
  if (end.final && end.reported !== undefined) return count(end, true);
  const counted = count(end, false);
  const percent = uncountedPercent[kind][reach];
  return percent === 0 ? counted : { usage: atLeast(counted.usage, reserved, percent), estimated: true };
}

function count({ reported, delivered, counted, reserved }: CallEnd, complete: boolean): Metered {
  if (reported === undefined && counted !== undefined) return { usage: counted, estimated: true };
  return meter(reported, complete, delivered, reserved);
}

const outputKinds = ["audioOutput", "imageOutput", "reasoning"] as const;

function atLeast(usage: Usage, reserved: Usage, percent: number): Usage {
  const part = (tokens: number) => Math.ceil((tokens * percent) / 100);
  const raised: Usage = { ...usage, output: Math.max(usage.output, part(reserved.output)) };
  for (const kind of outputKinds) {
    const tokens = Math.max(usage[kind] ?? 0, part(reserved[kind] ?? 0));
    if (tokens > 0) raised[kind] = tokens;
  }
  return raised;
}

/** What a chat produces: pictures and sound where they were reserved for, reasoning where it was requested. */
export function chatKind({ reasoning }: Pick<ChatRequest, "reasoning">, reserved: Estimate): CallKind {
  if ((reserved.imageOutput ?? 0) > 0) return "images";
  if ((reserved.audioOutput ?? 0) > 0) return "speech";
  if (reserved.thinks === true) return "reasoning";
  if (reasoning === undefined || reasoning.effort === "none") return "text";
  const { effort, budgetTokens = 0, adaptive = false } = reasoning;
  return effort !== undefined || budgetTokens > 0 || adaptive ? "reasoning" : "text";
}

/** What a call of OpenAI's other endpoints produces. @param path below the provider's address */
export function plainKind(needs: string, path: string): CallKind {
  if (needs === "images") return "images";
  if (needs !== "audio") return "text";
  return path.endsWith("/speech") ? "speech" : "transcription";
}
