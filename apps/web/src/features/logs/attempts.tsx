import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatDuration } from "#lib/quota.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import { attemptText } from "./log-labels.ts";
import classes from "./logs.module.css";

/** The notes leave out an answer at the first try; the list does not. */
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

/** Which channels were asked, in order, and what became of it. */
export function Attempts({ row, attempts }: { row: LogRow; attempts: AttemptNote[] }) {
  const { t } = useTranslation();
  const all = withAnswer(row, attempts);
  if (all.length === 0)
    return (
      <Text c="dimmed">
        {row.cache_hit
          ? t("No channel was called: the response came from the token's cache.")
          : t("No channel was called: the call ended before that.")}
      </Text>
    );
  return (
    <ol className={classes.attempts}>
      {all.map((note, index) => {
        const ok = note.result === "ok";
        return (
          // The order of attempts never changes.
          <li key={`${index}:${note.channel_id}`}>
            <span className={classes.number}>{index + 1}</span>
            <div>
              <Text span fw={500}>
                {note.channel_name || t("Deleted channel")}
              </Text>{" "}
              <Text span c="dimmed" fz="xs">
                #{note.channel_id}
              </Text>
              <Text fz="sm" component="div">
                <StatusDot tone={ok ? "good" : "bad"}>{t(attemptText(note))}</StatusDot>
              </Text>
              {note.message ? (
                <Text fz="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  {note.message}
                </Text>
              ) : null}
            </div>
            <Text fz="sm" c="dimmed" ta="right" className="tabular">
              {note.status > 0 ? `HTTP ${note.status}` : ""}
              <br />
              {formatDuration(note.duration)}
            </Text>
          </li>
        );
      })}
    </ol>
  );
}
