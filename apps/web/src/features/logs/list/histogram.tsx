/** The calls of the list over time. A click on a bar filters the list by its time. */
import type { LogFacets } from "@gateway/shared/usage/log";
import { useTranslation } from "react-i18next";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { fillHistogram, type Period } from "./histogram-bars.ts";
import classes from "#features/logs/filters/facets.module.css";

type HistogramProps = {
  histogram: LogFacets["histogram"];
  period: Period;
  /** When the bars were counted, in Unix seconds. */
  now: number;
  /** Unix seconds. */
  onNarrow: (from: number, to: number) => void;
};

/** Formats the time of a bar, with minutes when a bar lasts at least one. */
function barTime(seconds: number, span: number): string {
  return span >= 86_400
    ? formatTime(seconds).slice(5, 10)
    : formatTime(seconds).slice(5, span < 60 ? 19 : 16);
}

export function Histogram({ histogram, period, now, onNarrow }: HistogramProps) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const { span } = histogram;
  const bars = fillHistogram(histogram, period, now);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return <div className={classes.histogram} />;
  const most = Math.max(...bars.map((bar) => bar.count));
  const share = (count: number) => `${(count / most) * 100}%`;
  return (
    <div className={classes.histogram}>
      <div className={classes.bars} role="group" aria-label={t("Calls over time")}>
        {bars.map((bar) => {
          const text = t("{{time}}: {{calls}} calls, {{failed}} failed", {
            time: barTime(bar.starts, span),
            calls: format.whole(bar.count),
            failed: format.whole(bar.failed),
          });
          return (
            <button
              key={bar.starts}
              type="button"
              className={classes.slot}
              aria-label={text}
              title={text}
              // Focusable bars would add sixty tab stops between filters and list.
              tabIndex={-1}
              onClick={() => onNarrow(bar.starts, bar.starts + span - 1)}
            >
              <span className={classes.failed} style={{ height: share(bar.failed) }} />
              <span className={classes.done} style={{ height: share(bar.count - bar.failed) }} />
            </button>
          );
        })}
      </div>
      <div className={classes.scale} aria-hidden>
        <span>{barTime(first.starts, span)}</span>
        <span>{t("Maximum per bar: {{calls}} calls", { calls: format.whole(most) })}</span>
        <span>{barTime(last.starts + span, span)}</span>
      </div>
    </div>
  );
}
