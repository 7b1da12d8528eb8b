/** The usage of a period by the selected grouping: as a chart, as a table, or as a file. */
import type { Period } from "@gateway/shared/usage/analytics";
import { Button, Select, Skeleton } from "@mantine/core";
import { IconChartBar, IconDownload } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { exportPeriod } from "./export-period.ts";
import type { AnalyticsParams } from "./period.ts";
import { UsageTable } from "./usage-table.tsx";
import { MetricControl, TableToggle } from "./view-controls.tsx";
import classes from "./analytics.module.css";

interface ViewParams<Group> extends Pick<AnalyticsParams, "metric" | "view"> {
  by: Group;
}

type UsageOfPeriod = Pick<Period, "dates" | "channel_statistics">;

interface UsageOverTimeProps<Group extends string, Usage extends UsageOfPeriod> {
  params: ViewParams<Group>;
  onChange: (patch: Partial<ViewParams<Group>>) => void;
  period: UseQueryResult<Usage>;
  /** The groupings to choose from, in display order. */
  groups: readonly { value: Group; label: string }[];
  /** Name of usage without a name. */
  noName: string;
  noCallsHint: string;
  /** @param table of the period, for a chart that is shown with it */
  chart: (period: Usage, table: ReactNode) => ReactNode;
}

export function UsageOverTime<Group extends string, Usage extends UsageOfPeriod>(
  props: UsageOverTimeProps<Group, Usage>,
) {
  const { params, onChange, period, groups, noName, noCallsHint, chart } = props;
  const { t } = useTranslation("analytics");
  const phone = useIsPhone();
  const isTable = params.view === "table";
  const rows = period.data?.channel_statistics ?? [];
  const title = groups.find(({ value }) => value === params.by)?.label ?? "";
  const table = <UsageTable rows={rows} title={title} noName={noName} />;
  return (
    <Section title={t("Usage over time")}>
      <div className={classes.controls}>
        <Select
          aria-label={t("Group by")}
          w={phone ? "100%" : 150}
          data={groups}
          value={params.by}
          allowDeselect={false}
          checkIconPosition="right"
          onChange={(by) => by !== null && onChange({ by })}
        />
        {isTable ? null : <MetricControl value={params.metric} onChange={(metric) => onChange({ metric })} />}
        <div className={classes.end}>
          <TableToggle
            isTable={isTable}
            label={isTable ? t("Show as a chart") : t("Show as a table")}
            chart={IconChartBar}
            onToggle={() => onChange({ view: isTable ? "chart" : "table" })}
          />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            disabled={rows.length === 0}
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
      ) : rows.length === 0 ? (
        <Empty icon={IconChartBar} title={t("No calls in this period")} hint={noCallsHint} />
      ) : (
        <div className={period.isPlaceholderData ? classes.old : undefined}>
          {isTable ? table : chart(period.data, table)}
        </div>
      )}
    </Section>
  );
}
