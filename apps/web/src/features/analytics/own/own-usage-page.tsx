/** The usage of the signed-in account over a period, by model, API key or tag: as bars, as a table, or as a file. */
import type { OwnGroupType } from "@gateway/shared/usage/analytics";
import { ownGroupTypes } from "@gateway/shared/usage/group-types";
import { Button, Select, Skeleton } from "@mantine/core";
import { IconChartBar, IconDownload } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ownPeriodQuery } from "#features/analytics/api.ts";
import { UsageBars } from "#features/analytics/chart/usage-bars.tsx";
import { exportPeriod } from "#features/analytics/export-period.ts";
import { PeriodBar } from "#features/analytics/period-bar.tsx";
import { PeriodCards } from "#features/analytics/period-cards.tsx";
import { type OwnUsageParams, ownUsageParams } from "#features/analytics/period.ts";
import { UsageTable } from "#features/analytics/usage-table.tsx";
import { MetricControl, TableToggle } from "#features/analytics/view-controls.tsx";
import { useListParams } from "#lib/address/list-params.ts";
import { initialOf } from "#lib/address/params.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { useCan } from "#lib/session.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
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
  const phone = useIsPhone();
  const seesTags = useCan("seeBillingTag");
  const period = useQuery(ownPeriodQuery(params));
  const table = params.view === "table";
  const noName = params.by === "tag" ? t("Without a tag") : t("Unknown");
  return (
    <Section title={t("Usage over time")}>
      <div className={classes.controls}>
        <Select
          aria-label={t("Group by")}
          w={phone ? "100%" : 150}
          data={ownGroupTypes
            .filter((value) => seesTags || value !== "tag")
            .map((value) => ({ value, label: t(groupLabels[value]) }))}
          value={params.by}
          allowDeselect={false}
          checkIconPosition="right"
          onChange={(by) => onChange({ by: ownGroupTypes.find((known) => known === by) ?? "model" })}
        />
        {table ? null : <MetricControl value={params.metric} onChange={(metric) => onChange({ metric })} />}
        <div className={classes.end}>
          <TableToggle
            isTable={table}
            label={table ? t("Show as a chart") : t("Show as a table")}
            chart={IconChartBar}
            onToggle={() => onChange({ view: table ? "chart" : "table" })}
          />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            disabled={!period.data || period.data.channel_statistics.length === 0}
            onClick={() => period.data && exportPeriod(period.data)}
          >
            {t("Export")}
          </Button>
        </div>
      </div>
      {!period.data ? (
        <QueryFallback query={period}>
          <Skeleton height={300} />
        </QueryFallback>
      ) : period.data.channel_statistics.length === 0 ? (
        <Empty
          icon={IconChartBar}
          title={t("No calls in this period")}
          hint={t("Choose a longer period. Calls appear here within a minute.")}
        />
      ) : (
        <div className={period.isPlaceholderData ? classes.old : undefined}>
          {table ? (
            <UsageTable
              rows={period.data.channel_statistics}
              title={t(groupLabels[params.by])}
              noName={noName}
            />
          ) : (
            <>
              <UsageBars period={period.data} metric={params.metric} opensLog />
              <div className={classes.below}>
                <UsageTable
                  rows={period.data.channel_statistics}
                  title={t(groupLabels[params.by])}
                  noName={noName}
                />
              </div>
            </>
          )}
        </div>
      )}
    </Section>
  );
}
