/** The change of a figure: an arrow and the signed share. Neither good nor bad, hence without a colour. */
import { IconArrowDownRight, IconArrowUpRight } from "@tabler/icons-react";
import { useFormat } from "#lib/format/quota.ts";
import classes from "./trend.module.css";

type TrendProps = {
  /** 0.05 for 5 % more. */
  share: number;
  /** Wraps the percentage: "+5% vs. the day before". */
  label?: (percent: string) => string;
  title?: string;
};

/** Below the displayed precision. */
export const hasNoChange = (share: number) => Math.abs(share) < 0.0005;

export function Trend({ share, label = (percent) => percent, title }: TrendProps) {
  const format = useFormat();
  const Arrow = share < 0 ? IconArrowDownRight : IconArrowUpRight;
  const same = hasNoChange(share);
  return (
    <span className={classes.trend} title={title}>
      {same ? null : <Arrow size={14} aria-hidden />}
      {label(`${same ? "" : share < 0 ? "−" : "+"}${format.percent(Math.abs(share))}`)}
    </span>
  );
}
