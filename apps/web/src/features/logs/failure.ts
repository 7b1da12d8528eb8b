/** Why a call failed: a short label for the list and a sentence for its page. Pure. */
import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import type { TFunction } from "i18next";
import { attemptResultText } from "#lib/labels/attempt-labels.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";

/** Returns a short label of the reason; the code itself when it is of another version, "" for none. */
export function shortReason(t: TFunction<"logs">, code: string): string {
  const label = failureLabel(code);
  return label === undefined ? code : t(label);
}

export function isFailedCall(row: Pick<LogRow, "type">): boolean {
  return row.type === LogType.failed;
}

/**
 * Explains that no channel was called because of pauses named in the log row; "" for other reasons.
 * @param timeOf formats a time of day, from unix seconds
 */
export function pauseSentence(
  t: TFunction<"logs">,
  row: LogRow,
  timeOf: (seconds: number) => string,
): string {
  const { paused, skipped, attempts } = row;
  if (!isFailedCall(row) || !paused || paused.length === 0 || attempts?.length !== 0) return "";
  // "All channels are paused" would be wrong if others were skipped for another reason.
  if (skipped?.some((note) => note.skipped !== "paused")) return "";
  const first = paused.reduce((a, b) => (b.paused_until < a.paused_until ? b : a));
  return t("All channels for this model are paused until {{time}} ({{reason}}).", {
    time: timeOf(first.paused_until),
    reason: t(attemptResultText(first.reason)),
  });
}
