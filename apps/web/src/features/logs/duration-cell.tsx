import { type LogRow, LogType } from "@gateway/shared/usage/log";
import { Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatDuration } from "#lib/quota.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import { paceOfDuration, paceOfSpeed, tokensPerSecond } from "./pace.ts";
import classes from "./logs.module.css";

/** Total; below it the first byte and the speed, where the answer was streamed. */
export function DurationCell({ row }: { row: LogRow }) {
  const { t } = useTranslation();
  const failed = row.type === LogType.failed;
  const pace = paceOfDuration(row.request_time);
  const speed = tokensPerSecond(row);
  const speedPace = speed === null ? null : paceOfSpeed(speed);
  return (
    <div className={classes.stack}>
      <Tooltip label={t(pace.text)} disabled={failed}>
        <span>
          <StatusDot tone={failed || row.request_time === 0 ? "idle" : pace.tone}>
            {formatDuration(row.request_time)}
          </StatusDot>
        </span>
      </Tooltip>
      {row.is_stream && row.first_byte_time > 0 ? (
        <Text span c="dimmed" className={classes.under}>
          <Tooltip label={t("First byte")}>
            <span>{formatDuration(row.first_byte_time)}</span>
          </Tooltip>
          {speed !== null && speedPace !== null ? (
            <Tooltip label={t(speedPace.text)}>
              <span data-tone={speedPace.tone} className={classes.speed}>
                {speed >= 10 ? Math.round(speed) : speed.toFixed(1)} t/s
              </span>
            </Tooltip>
          ) : null}
        </Text>
      ) : null}
    </div>
  );
}
