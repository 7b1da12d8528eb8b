/** Usage by day, with the previous period as a line. A click or a drag opens the calls of these days in the log. */
import type { Period } from "@gateway/shared/usage/analytics";
import { LogType } from "@gateway/shared/usage/log-type";
import { IconChartBar } from "@tabler/icons-react";
import type { ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { amountOf } from "#features/analytics/metric-labels.ts";
import { type Metric, partsOf } from "#features/analytics/period.ts";
import { logAddressOfDays } from "#lib/address/log-address.ts";
import { useFormat } from "#lib/format/quota.ts";
import { StackedBars } from "#ui/charts/stacked-bars.tsx";
import { stack, tickDigits, topOf } from "#ui/charts/stacks.ts";
import { Empty } from "#ui/empty.tsx";

type UsageBarsProps = {
  period: Pick<Period, "channel_statistics" | "dates" | "before_by_day">;
  metric: Metric;
  /** Whether the log can show the calls of a selection. */
  opensLog: boolean;
  marks?: ComponentProps<typeof StackedBars>["marks"];
};

export function UsageBars({ period, metric, opensLog, marks }: UsageBarsProps) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const navigate = useNavigate();
  const stacks = stack(partsOf(period.channel_statistics, metric), period.dates);
  if (stacks.series.length === 0)
    return <Empty icon={IconChartBar} title={metric === "failed" ? t("No failed calls") : t("No data")} />;
  const values = period.before_by_day.map(amountOf[metric]);
  const digits = tickDigits(topOf(stacks) / format.pointsPerUsd);
  const money = metric === "quota";
  const openLog = (first = "", last = "") =>
    void navigate(logAddressOfDays({ first, last }, metric === "failed" ? { log_type: LogType.failed } : {}));
  return (
    <StackedBars
      {...stacks}
      title={t("Usage over time")}
      height={300}
      tick={(value) => (money ? format.tick(value, digits) : format.short(value))}
      print={(value) => (money ? format.tick(value, digits) : format.whole(value))}
      axisWidth={money && digits > 2 ? 82 : 64}
      line={values.some((value) => value > 0) ? { name: t("Previous period"), values } : undefined}
      marks={marks}
      onRange={opensLog ? ({ first, last }) => openLog(period.dates[first], period.dates[last]) : undefined}
    />
  );
}
