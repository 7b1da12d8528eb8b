/** Positions of the attempts of a call on its time axis. Pure. */
import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";

/** In milliseconds; `from` is relative to the arrival of the call. */
export type AttemptBar = { note: AttemptNote; from: number; waiting: number; streaming: number };

export function layOutAttempts(row: LogRow, attempts: AttemptNote[]): { bars: AttemptBar[]; total: number } {
  const bars: AttemptBar[] = [];
  let end = 0;
  for (const note of withAnswer(row, attempts)) {
    // Rows of older versions contain no start times. The attempts then follow each other.
    const from = note.begun ?? end;
    const streaming = note.result === "ok" ? Math.max(0, row.request_time - from - note.duration) : 0;
    bars.push({ note, from, waiting: note.duration, streaming: row.is_stream ? streaming : 0 });
    end = from + note.duration;
  }
  return { bars, total: Math.max(row.request_time, end) };
}

/**
 * Adds the successful attempt to rows without it: some kinds of calls omit it when the first try succeeds.
 */
function withAnswer(row: LogRow, attempts: AttemptNote[]): AttemptNote[] {
  const answered = row.error_code === "" && row.channel_id > 0;
  if (!answered || attempts.some((note) => note.result === "ok")) return attempts;
  const spent = attempts.reduce((sum, note) => sum + note.duration, 0);
  const answer = {
    channel_id: row.channel_id,
    channel_name: row.channel_name,
    result: "ok",
    status: row.status,
    duration: Math.max(0, row.request_time - spent),
    message: "",
  };
  return [...attempts, answer];
}
