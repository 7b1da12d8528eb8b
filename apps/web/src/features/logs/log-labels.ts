/** Labels of the log's codes. An unknown code is shown as it is. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";
import { attemptResultText } from "#lib/labels/attempt-labels.ts";
import { storedReason } from "#lib/labels/reasons.ts";
import { nameOfBillLine } from "#lib/labels/usage-kinds.ts";
import type { Tone } from "#ui/status-dot.tsx";

const phrase = phrasesIn("logs");

export const typeTabs = [
  { type: LogType.all, text: phrase("All") },
  { type: LogType.topUp, text: phrase("Top-ups") },
  { type: LogType.consume, text: phrase("Charges") },
  { type: LogType.manage, text: phrase("Management") },
  { type: LogType.system, text: phrase("System") },
  { type: LogType.failed, text: phrase("Failed") },
] as const;

export function typeText(type: number): string {
  return typeTabs.find((tab) => tab.type === type)?.text ?? phrase("Unknown");
}

/** Returns whether the entry is a call to a model; others are about the account. */
export function isCall(row: LogRow): boolean {
  return row.type === LogType.consume || row.type === LogType.failed;
}

type OutcomeWord = { tone: Tone; text: string; sentence: string };

const outcomes = lookupTable<OutcomeWord>({
  complete: { tone: "good", text: phrase("Complete"), sentence: "" },
  "client-left": {
    tone: "idle",
    text: phrase("Client disconnected"),
    sentence: phrase(
      "The client disconnected before the response was complete. The part that was generated until then is charged.",
    ),
  },
  "upstream-died": {
    tone: "warn",
    text: phrase("Connection lost"),
    sentence: phrase("The provider's response was interrupted. Only the delivered part is charged."),
  },
  interrupted: {
    tone: "warn",
    text: phrase("Interrupted"),
    sentence: phrase(
      "The gateway node that served this call stopped. At most the part that was delivered until then is charged.",
    ),
  },
  failed: {
    tone: "bad",
    text: phrase("Failed"),
    sentence: phrase("The call failed and was not charged."),
  },
});

/** Returns the outcome of a call. Other entries are named by their type. */
export function outcomeWord(row: LogRow): OutcomeWord {
  if (!isCall(row)) return { tone: "accent", text: typeText(row.type), sentence: "" };
  return outcomes[row.outcome] ?? { tone: "idle", text: row.outcome, sentence: "" };
}

/** Labels of outcomes, for a filter. English; translate when displayed. */
export function outcomeText(outcome: string): string {
  return outcomes[outcome]?.text ?? outcome;
}

/** Returns the number of retries; 0 for token owners, who do not see attempts. */
export function retriesOf({ attempts }: Pick<LogRow, "attempts">): number {
  return Math.max(0, (attempts?.length ?? 0) - 1);
}

/** Translates the content of an entry. Text of users or providers stays as it is. */
export function contentText(t: TFunction<"logs">, { content, content_facts }: LogRow): string {
  return storedReason(t, content, content_facts);
}

export function attemptText(note: AttemptNote): string {
  return attemptResultText(note.result);
}

export function billKindText(t: TFunction<"logs">, kind: string): string {
  return t(nameOfBillLine(kind));
}
