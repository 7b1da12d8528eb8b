import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { useTranslation } from "react-i18next";
import { rateDuration, rateThroughput, tokensPerSecond } from "#features/logs/pace.ts";
import { formatDuration } from "#lib/format/quota.ts";
import classes from "#features/logs/logs.module.css";

/** Total duration; below it the time to first byte and the speed of a streamed response. */
export function DurationCell({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const failed = row.type === LogType.failed;
  const pace = rateDuration(row.request_time);
  const speed = tokensPerSecond(row);
  const speedPace = speed === null ? null : rateThroughput(speed);
  return (
    <div className={classes.stack} data-right>
      {/* Titles, not tooltips: hundreds of rows are drawn. */}
      <span
        title={failed ? undefined : t(pace.text)}
        data-tone={failed ? undefined : pace.tone}
        className={classes.speed}
      >
        {formatDuration(row.request_time)}
      </span>
      {row.is_stream && row.first_byte_time > 0 ? (
        <span className={classes.under}>
          <span className={classes.firstByte} title={t("First byte")}>
            {formatDuration(row.first_byte_time)}
          </span>
          {speed !== null && speedPace !== null ? (
            <span title={t(speedPace.text)} data-tone={speedPace.tone} className={classes.speed}>
              {speed >= 10 ? Math.round(speed) : speed.toFixed(1)} t/s
            </span>
          ) : null}
        </span>
      ) : null}
    </div>
  );
}
