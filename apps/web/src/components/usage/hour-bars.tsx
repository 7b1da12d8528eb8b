/** Bars per hour or day. The share of failed calls is shown by height, not by colour alone. */
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import classes from "./hour-bars.module.css";

export type HourBar = {
  key: string;
  /** Tooltip. */
  title: string;
  /** Share of calls that were served; null without calls. */
  share: number | null;
};

/** Returns a function that makes bars of shares of served calls, each titled with its time and share. */
export function useShareBars() {
  const { t } = useTranslation();
  const format = useFormat();
  return (shares: readonly (number | null)[], timeOf: (place: number) => string): HourBar[] =>
    shares.map((share, place) => {
      const time = timeOf(place);
      const title = share === null ? t("{{time}}: no calls", { time }) : `${time}: ${format.percent(share)}`;
      return { key: time, title, share };
    });
}

type HourBarsProps = {
  /** Summary of all bars, for screen readers. */
  label: string;
  bars: readonly HourBar[];
  height?: number;
  barWidth?: number;
  /** Fills the width of its container. */
  fill?: boolean;
};

/** Minimum height of failures: one failed call of thousands must be visible too. */
const leastFailure = 0.22;
const idleHeight = 3;
const gap = 2;

export function HourBars({ label, bars, height = 22, barWidth = 5, fill = false }: HourBarsProps) {
  const step = barWidth + gap;
  const width = bars.length * step - gap;
  return (
    <svg
      className={classes.bars}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={fill ? "100%" : width}
      height={height}
      preserveAspectRatio="none"
    >
      {bars.map(({ key, title, share }, place) => {
        const x = place * step;
        const bad = share === null || share === 1 ? 0 : Math.max(leastFailure, 1 - share) * height;
        return (
          <g key={key}>
            <title>{title}</title>
            {/* The whole height answers to the pointer. */}
            <rect x={x - gap / 2} y={0} width={step} height={height} fill="transparent" />
            {share === null ? (
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
