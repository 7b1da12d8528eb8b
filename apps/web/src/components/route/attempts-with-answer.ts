import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";

/**
 * Adds the successful attempt to rows without it: some kinds of calls omit it when the first try succeeds.
 * Times are in milliseconds.
 */
export function attemptsWithAnswer(row: LogRow, attempts: AttemptNote[]): AttemptNote[] {
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
