/** Calls by hour, failed ones on top. Blue and orange also differ in lightness, for colour-blind users. */
import type { Traffic } from "@gateway/shared/usage/overview";
import { useTranslation } from "react-i18next";
import { hourText } from "#lib/channel-hours.ts";
import { useFormat } from "#lib/format/quota.ts";
import { StackedBars } from "#ui/charts/stacked-bars.tsx";

const colors = { served: "var(--chart-1)", failed: "var(--chart-2)" };

export function TrafficChart({ traffic, since }: { traffic: Traffic; since: number }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const { requests, failed } = traffic.hourly;
  const names: Record<string, string> = { served: t("Successful"), failed: t("Failed") };
  const rows = requests.map((count, hour) => ({
    date: hourText(since, hour),
    served: count - (failed[hour] ?? 0),
    failed: failed[hour] ?? 0,
  }));
  return (
    <StackedBars
      title={t("Requests per hour")}
      series={["served", "failed"]}
      rows={rows}
      tick={format.whole}
      print={format.whole}
      nameOf={(name) => names[name] ?? name}
      colors={colors}
      dayText={(date) => date}
      axisWidth={48}
      height={228}
    />
  );
}
