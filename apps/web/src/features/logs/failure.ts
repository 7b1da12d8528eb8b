/** Why a call failed, in a few words for the list and in a sentence for its page. Pure. */
import { type LogRow, LogType } from "@gateway/shared/usage/log";
import type { TFunction } from "i18next";
import { attemptResultText } from "#lib/attempt-labels.ts";
import { failureLabel } from "#lib/failure-labels.ts";

/** Why a call failed, in a few words; a code from another version as it is, "" for none. */
export function shortReason(t: TFunction, code: string): string {
  const label = failureLabel(code);
  return label === undefined ? code : t(label);
}

export function hasFailed(row: Pick<LogRow, "type">): boolean {
  return row.type === LogType.failed;
}

/** The model a call named; calls for a model that does not exist keep it only in the facts of their failure. */
export function requestedModel({ model_name, content_facts }: LogRow): string {
  if (model_name !== "") return model_name;
  const model = content_facts.find(({ code }) => code === "model_not_found")?.params["model"];
  return model === undefined ? "" : String(model);
}

/**
 * Why no channel was called, from the pauses that its log row names; "" where that was not the reason.
 *
 * @param timeOf a time of day, from seconds since 1970
 */
export function pauseSentence(t: TFunction, row: LogRow, timeOf: (seconds: number) => string): string {
  const { paused, skipped, attempts } = row;
  if (!hasFailed(row) || !paused || paused.length === 0 || attempts?.length !== 0) return "";
  // Channels that were passed over for another reason would make "all" untrue.
  if (skipped?.some((note) => note.skipped !== "paused")) return "";
  const first = paused.reduce((a, b) => (b.paused_until < a.paused_until ? b : a));
  return t("All channels for this model are paused until {{time}} ({{reason}}).", {
    time: timeOf(first.paused_until),
    reason: t(attemptResultText(first.reason)),
  });
}
