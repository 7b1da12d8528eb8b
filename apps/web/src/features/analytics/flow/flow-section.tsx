/** The flow of a period's calls: user, key, group, model, channel. */
import { FLOW_DAYS } from "@gateway/shared/usage/flow-days";
import { Skeleton, Text } from "@mantine/core";
import { IconChartSankey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { insightsQuery } from "#features/analytics/api.ts";
import { logFilterOf } from "#features/analytics/calls-link.tsx";
import { MetricAmount, metricAmounts } from "#features/analytics/metric-amount.tsx";
import { metricLabels, metricText } from "#features/analytics/metric-labels.ts";
import type { AnalyticsView } from "#features/analytics/period-bar.tsx";
import { periodWindow } from "#features/analytics/period.ts";
import { MetricControl, TableToggle } from "#features/analytics/view-controls.tsx";
import { logAddress } from "#lib/address/log-address.ts";
import { useFormat } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Figures } from "#ui/figures/figures.tsx";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { FlowChart } from "./flow-chart.tsx";
import { amountOf, type FlowColumn, flowColumns, type FlowNode, layFlows, nameOf } from "./flow-layout.ts";
import classes from "#features/analytics/analytics.module.css";

const phrase = phrasesIn("analytics");

const titles: Record<FlowColumn, string> = {
  user: phrase("User"),
  token: phrase("Token"),
  group: phrase("Group"),
  model: phrase("Model"),
  channel: phrase("Channel"),
};

/** Rows of the table. */
const mostPaths = 50;

export function FlowSection({ params, onChange }: AnalyticsView) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const [now] = useState(() => new Date());
  const insights = useQuery(insightsQuery(params));
  const flows = insights.data?.flows;
  const groupName = useGroupNames();
  const layout = useMemo(
    () => (flows ? layFlows(flows, params.metric, groupName) : undefined),
    [flows, params.metric, groupName],
  );
  const table = params.flow === "table";
  const other = table ? t("Show the flow as a chart") : t("Show the flow as a table");
  const print = (value: number) => metricText(params.metric, value, format);
  const { end_timestamp } = periodWindow(params, now);
  const paths = (flows?.paths ?? [])
    .filter((path) => amountOf(path, params.metric) > 0)
    .toSorted((one, two) => amountOf(two, params.metric) - amountOf(one, params.metric))
    .slice(0, mostPaths);

  function addressOf({ column, key, name }: Pick<FlowNode, "column" | "key" | "name">): string | undefined {
    if (key === "" || key === "0" || !flows) return undefined;
    const filters: Record<FlowColumn, Record<string, string> | undefined> = {
      user: { username: name },
      token: { token_name: name },
      group: undefined,
      model: { model_name: key },
      channel: { channel_id: key },
    };
    const filter = filters[flowColumns[column] ?? "group"];
    return (
      filter && logAddress(flows.since, { ...logFilterOf(params, insights.data), ...filter }, end_timestamp)
    );
  }

  return (
    <Section
      title={t("Flow of calls")}
      hint={t("From user to channel, for up to the last {{days}} days of the period", {
        days: FLOW_DAYS,
      })}
    >
      <div className={classes.controls}>
        <MetricControl value={params.metric} onChange={(metric) => onChange({ metric })} />
        <div className={classes.end}>
          <TableToggle
            isTable={table}
            label={other}
            chart={IconChartSankey}
            onToggle={() => onChange({ flow: table ? "chart" : "table" })}
          />
        </div>
      </div>
      {!flows || !layout ? (
        <QueryFallback query={insights}>
          <Skeleton height={430} />
        </QueryFallback>
      ) : layout.total === 0 ? (
        <Empty compact title={t("No calls in this period")} />
      ) : table ? (
        <Figures
          label={t("Flow of calls")}
          amounts={metricAmounts(
            params.metric,
            paths.map((path) => amountOf(path, params.metric)),
          )}
        >
          <thead>
            <tr>
              {flowColumns.map((column) => (
                <th key={column} scope="col" style={{ textAlign: "left" }}>
                  {t(titles[column])}
                </th>
              ))}
              <th scope="col">{t(metricLabels[params.metric])}</th>
            </tr>
          </thead>
          <tbody>
            {paths.map((path) => {
              const keys = [path.user_id, path.token_id, path.group, path.model, path.channel_id].map(String);
              return (
                <tr key={keys.join(" ")}>
                  {keys.map((key, column) => {
                    const name = nameOf(flows, flowColumns[column] ?? "user", key, groupName);
                    const address = addressOf({ column, key, name });
                    const text = address === undefined ? name : <QuietLink to={address}>{name}</QuietLink>;
                    return column === 0 ? (
                      <th key="user" scope="row" translate="no">
                        {text}
                      </th>
                    ) : (
                      <td key={flowColumns[column]} style={{ textAlign: "left" }} translate="no">
                        {text}
                      </td>
                    );
                  })}
                  <td>
                    <MetricAmount metric={params.metric} value={amountOf(path, params.metric)} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </Figures>
      ) : (
        <>
          <FlowChart
            layout={layout}
            titles={flowColumns.map((column) => t(titles[column]))}
            print={print}
            percent={format.percent}
            addressOf={addressOf}
          />
          <Text fz="xs" c="dimmed">
            {t("Select a user, token, model or channel to open its calls.")}
          </Text>
        </>
      )}
    </Section>
  );
}
