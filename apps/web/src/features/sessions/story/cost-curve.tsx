/** How the cost of a session grew, with its channel moves and failures. */
import type { SessionCall } from "@gateway/shared/usage/session";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { costPoints, HEIGHT, WIDTH } from "./cost-points.ts";
import classes from "./story.module.css";

export function CostCurve({ calls }: { calls: readonly SessionCall[] }) {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  const [first] = calls;
  const last = calls.at(-1);
  if (!first || !last || calls.length < 2) return null;
  const { line, total, marks } = costPoints(calls);
  const label = t("Cost over time: {{amount}} in {{number}} calls", {
    amount: format.quota(total),
    count: calls.length,
    number: format.whole(calls.length),
  });
  return (
    <figure className={classes.curve}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} className={classes.area} />
        <polyline points={line} className={classes.line} vectorEffect="non-scaling-stroke" />
        {marks.map(({ x, kind }) => (
          <line
            key={`${kind} ${x}`}
            x1={x}
            x2={x}
            y1={HEIGHT * (kind === "failed" ? 0.88 : 0.7)}
            y2={HEIGHT}
            data-kind={kind}
            className={classes.mark}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <figcaption>
        <Text span fz="xs" c="dimmed">
          {formatTime(first.ended_at / 1000)}
        </Text>
        <Text span fz="xs" c="dimmed" ta="center">
          {label}
          {marks.some(({ kind }) => kind === "moved") ? (
            <>
              {" · "}
              <span className={classes.key} data-kind="moved" aria-hidden /> {t("Channel moves")}
            </>
          ) : null}
          {marks.some(({ kind }) => kind === "failed") ? (
            <>
              {" · "}
              <span className={classes.key} data-kind="failed" aria-hidden /> {t("Failed calls")}
            </>
          ) : null}
        </Text>
        <Text span fz="xs" c="dimmed">
          {formatTime(last.ended_at / 1000)}
        </Text>
      </figcaption>
    </figure>
  );
}
