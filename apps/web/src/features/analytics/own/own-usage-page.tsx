/** The usage of the signed-in account over a period, by model, API key or tag: as bars, as a table, or as a file. */
import type { OwnGroupType } from "@gateway/shared/usage/analytics";
import { ownGroupTypes } from "@gateway/shared/usage/group-types";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ownPeriodQuery } from "#features/analytics/api.ts";
import { UsageBars } from "#features/analytics/chart/usage-bars.tsx";
import { PeriodBar } from "#features/analytics/period-bar.tsx";
import { PeriodCards } from "#features/analytics/period-cards.tsx";
import { type OwnUsageParams, ownUsageParams } from "#features/analytics/period.ts";
import { UsageOverTime } from "#features/analytics/usage-over-time.tsx";
import { useListParams } from "#lib/address/list-params.ts";
import { initialOf } from "#lib/address/params.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { useCan } from "#lib/session.ts";
import { Page } from "#ui/page/page.tsx";
import classes from "#features/analytics/analytics.module.css";

const phrase = phrasesIn("analytics");

const groupLabels: Record<OwnGroupType, string> = {
  model: phrase("By model"),
  model_type: phrase("By provider"),
  token: phrase("By API key"),
  tag: phrase("By billing tag"),
  group: phrase("By group"),
};

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(ownPeriodQuery(initialOf(ownUsageParams)));
}

export default function OwnUsagePage() {
  const { t } = useTranslation("analytics");
  const [params, setParams] = useListParams(ownUsageParams);
  const period = useQuery(ownPeriodQuery(params));
  return (
    <Page
      title={t("My usage")}
      description={t("Usage and cost of your calls. Days are in your time zone.")}
      actions={<PeriodBar params={params} onChange={setParams} />}
    >
      {period.error && !period.data ? null : (
        <PeriodCards period={period.data} old={period.isPlaceholderData} />
      )}
      <OwnUsageSection params={params} onChange={setParams} />
    </Page>
  );
}

type OwnUsageSectionProps = { params: OwnUsageParams; onChange: (patch: Partial<OwnUsageParams>) => void };

function OwnUsageSection({ params, onChange }: OwnUsageSectionProps) {
  const { t } = useTranslation("analytics");
  const seesTags = useCan("seeBillingTag");
  return (
    <UsageOverTime
      params={params}
      onChange={onChange}
      period={useQuery(ownPeriodQuery(params))}
      groups={ownGroupTypes
        .filter((value) => seesTags || value !== "tag")
        .map((value) => ({ value, label: t(groupLabels[value]) }))}
      noName={params.by === "tag" ? t("Without a tag") : t("Unknown")}
      noCallsHint={t("Choose a longer period. Calls appear here within a minute.")}
      chart={(period, table) => (
        <>
          <UsageBars period={period} metric={params.metric} opensLog />
          <div className={classes.below}>{table}</div>
        </>
      )}
    />
  );
}
