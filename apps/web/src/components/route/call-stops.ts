/** The channels of a call for its picture: what was tried, then what was not. Pure. */
import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import type { TFunction } from "i18next";
import { formatDuration } from "#lib/format/quota.ts";
import { attemptResultText } from "#lib/labels/attempt-labels.ts";
import { attemptsWithAnswer } from "./attempts-with-answer.ts";
import type { RouteStop } from "./route-picture.tsx";

/** More would make the picture higher than the window. */
export const MOST_STOPS = 6;

/**
 * Returns the attempts of a call in their order, then the channels that were not used, at most `MOST_STOPS`. The last
 * attempts are kept: one of them answered.
 */
export function stopsOfCall(t: TFunction, row: LogRow, attempts: AttemptNote[]): RouteStop[] {
  const tried = attemptsWithAnswer(row, attempts).map((note, place): RouteStop => {
    const result = t(attemptResultText(note.result));
    const status = note.status > 0 && note.result !== "ok" ? `HTTP ${note.status}` : "";
    return {
      id: `${place}:${note.channel_id}`,
      name: note.channel_name || t("Deleted channel"),
      note: [result, status, formatDuration(note.duration)].filter(Boolean).join(" · "),
      state: note.result === "ok" ? "answered" : "failed",
    };
  });
  const untried = [
    ...(row.paused ?? []).map((note) => ({ ...note, why: t("Paused") })),
    ...(row.skipped ?? []).map((note) => ({ ...note, why: t("Not used") })),
  ].map(({ channel_id, channel_name, why }): RouteStop => ({
    id: `unused:${channel_id}`,
    name: channel_name || t("Deleted channel"),
    note: why,
    state: "unused",
  }));
  const shown = tried.slice(-MOST_STOPS);
  return [...shown, ...untried.slice(0, MOST_STOPS - shown.length)];
}
