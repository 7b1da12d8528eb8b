/** The usage of all accounts by day, with what changed on these days. */
import type { Period } from "@gateway/shared/usage/analytics";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { autoDisabledQuery, changesQuery } from "#features/analytics/api.ts";
import type { AnalyticsParams } from "#features/analytics/period.ts";
import { useMayEnter } from "#lib/session.ts";
import { automaticChange, marksOf } from "./chart-marks.ts";
import { UsageBars } from "./usage-bars.tsx";

type UsageChartProps = { period: Period; params: AnalyticsParams };

export function UsageChart({ period, params }: UsageChartProps) {
  const { t } = useTranslation("analytics");
  const seesLogs = useMayEnter("logs");
  const byPeople = useQuery(changesQuery(params, useMayEnter("audit"))).data ?? [];
  const disabled = useQuery(autoDisabledQuery(params)).data ?? [];
  const changes = [...byPeople, ...disabled.map(automaticChange)];
  return (
    <UsageBars
      period={period}
      metric={params.metric}
      // The log has no filter for an account by its id.
      opensLog={seesLogs && params.user === 0}
      marks={marksOf(t, changes, period.dates)}
    />
  );
}
