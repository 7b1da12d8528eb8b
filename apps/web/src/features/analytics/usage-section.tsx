/** The usage of all accounts over the period. */
import type { GroupType } from "@gateway/shared/usage/analytics";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { phrasesIn } from "#lib/i18n.ts";
import { periodQuery } from "./api.ts";
import { UsageChart } from "./chart/usage-chart.tsx";
import type { AnalyticsView } from "./period-bar.tsx";
import { UsageOverTime } from "./usage-over-time.tsx";

const phrase = phrasesIn("analytics");

const groupLabels: Record<GroupType, string> = {
  model: phrase("By model"),
  model_type: phrase("By provider"),
  channel: phrase("By channel"),
  user: phrase("By user"),
  group: phrase("By group"),
};

export function UsageSection({ params, onChange }: AnalyticsView) {
  const { t } = useTranslation("analytics");
  return (
    <UsageOverTime
      params={params}
      onChange={onChange}
      period={useQuery(periodQuery(params))}
      groups={Object.entries(groupLabels).map(([value, label]) => ({
        value: value as GroupType,
        label: t(label),
      }))}
      noName={params.by === "user" ? t("Others") : t("Unknown")}
      noCallsHint={t("Choose a longer period or another user.")}
      chart={(period) => <UsageChart period={period} params={params} />}
    />
  );
}
