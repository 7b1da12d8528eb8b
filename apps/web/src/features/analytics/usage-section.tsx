/** The period by the selected grouping: as bars, as a table, or as a file. */
import type { GroupType } from "@gateway/shared/usage/analytics";
import { Button, Select, Skeleton } from "@mantine/core";
import { IconChartBar, IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { phrasesIn } from "#lib/i18n.ts";
import { useMayEnter } from "#lib/session.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { periodQuery } from "./api.ts";
import { UsageChart } from "./chart/usage-chart.tsx";
import { exportPeriod } from "./export-period.ts";
import type { AnalyticsView } from "./period-bar.tsx";
import { UsageTable } from "./usage-table.tsx";
import { UserFilter } from "./user-filter.tsx";
import { MetricControl, TableToggle } from "./view-controls.tsx";
import classes from "./analytics.module.css";

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
  const phone = useIsPhone();
  const seesUsers = useMayEnter("users");
  const period = useQuery(periodQuery(params));
  const table = params.view === "table";
  const other = table ? t("Show as a chart") : t("Show as a table");
  return (
    <Section title={t("Usage over time")}>
      <div className={classes.controls}>
        <Select
          aria-label={t("Group by")}
          w={phone ? "100%" : 150}
          data={Object.entries(groupLabels).map(([value, word]) => ({ value, label: t(word) }))}
          value={params.by}
          allowDeselect={false}
          checkIconPosition="right"
          onChange={(by) => onChange({ by: (by ?? "model") as GroupType })}
        />
        {seesUsers ? <UserFilter userId={params.user} onChange={(user) => onChange({ user })} /> : null}
        {table ? null : <MetricControl value={params.metric} onChange={(metric) => onChange({ metric })} />}
        <div className={classes.end}>
          <TableToggle
            isTable={table}
            label={other}
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
          hint={t("Choose a longer period or another user.")}
        />
      ) : (
        <div className={period.isPlaceholderData ? classes.old : undefined}>
          {table ? (
            <UsageTable
              rows={period.data.channel_statistics}
              title={t(groupLabels[params.by])}
              noName={params.by === "user" ? t("Others") : t("Unknown")}
            />
          ) : (
            <UsageChart period={period.data} params={params} />
          )}
        </div>
      )}
    </Section>
  );
}
