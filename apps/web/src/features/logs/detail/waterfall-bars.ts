/** Positions of the attempts of a call on its time axis. Pure. */
import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import { attemptsWithAnswer } from "#components/route/attempts-with-answer.ts";

/** In milliseconds; `from` is relative to the arrival of the call. */
export type AttemptBar = { note: AttemptNote; from: number; waiting: number; streaming: number };

export function layOutAttempts(row: LogRow, attempts: AttemptNote[]): { bars: AttemptBar[]; total: number } {
  const bars: AttemptBar[] = [];
  let end = 0;
  for (const note of attemptsWithAnswer(row, attempts)) {
    // Rows of older versions contain no start times. The attempts then follow each other.
    const from = note.begun ?? end;
    const streaming = note.result === "ok" ? Math.max(0, row.request_time - from - note.duration) : 0;
    bars.push({ note, from, waiting: note.duration, streaming: row.is_stream ? streaming : 0 });
    end = from + note.duration;
  }
  return { bars, total: Math.max(row.request_time, end) };
}
