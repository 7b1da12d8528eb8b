/** 24 hours of a channel: a bar per hour. Height, not colour alone, says how many attempts failed. */
import type { ChannelHealth } from "@gateway/shared/usage/overview";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/quota.ts";
import { healthOf, hourOf } from "./figures.ts";
import { hourText } from "./hours.ts";
import classes from "./overview.module.css";

const height = 22;
const barWidth = 5;
const step = 7;
/** One failed call of thousands is to be seen, too. */
const leastFailure = 5;
const idleHeight = 3;

export function HealthBar({ channel, since }: { channel: ChannelHealth; since: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { calls, failed } = healthOf(channel);
  const width = channel.requests.length * step - (step - barWidth);
  return (
    <svg
      className={classes.health}
      role="img"
      aria-label={t("24 hours: {{calls}} calls, {{failed}} failed", {
        calls: format.whole(calls),
        failed: format.whole(failed),
      })}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      {channel.requests.map((_, hour) => {
        const each = hourOf(channel, hour);
        const x = hour * step;
        const at = hourText(since, hour);
        const bad = each.failed === 0 ? 0 : Math.max(leastFailure, (each.failed / each.calls) * height);
        return (
          <g key={at}>
            <title>
              {each.calls === 0
                ? t("{{time}}: no calls", { time: at })
                : t("{{time}}: {{calls}} calls, {{failed}} failed", {
                    time: at,
                    calls: format.whole(each.calls),
                    failed: format.whole(each.failed),
                  })}
            </title>
            {/* The whole height answers to the pointer. */}
            <rect x={x - 1} y={0} width={step} height={height} fill="transparent" />
            {each.calls === 0 ? (
              <rect
                className={classes.idle}
                x={x}
                y={height - idleHeight}
                width={barWidth}
                height={idleHeight}
              />
            ) : (
              <>
                <rect className={classes.served} x={x} y={bad} width={barWidth} height={height - bad} />
                <rect className={classes.failed} x={x} y={0} width={barWidth} height={bad} />
              </>
            )}
          </g>
        );
      })}
    </svg>
  );
}
