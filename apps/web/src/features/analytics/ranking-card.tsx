/** The models or users with the largest amounts of a period, each compared with the period before. */
import { shareOf } from "@gateway/shared/usage/figures";
import type { RankedAmounts } from "@gateway/shared/usage/insights";
import { Skeleton, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Figures } from "#ui/figures/figures.tsx";
import { Trend } from "#ui/figures/trend.tsx";
import { Section } from "#ui/page/page.tsx";
import { insightsQuery } from "./api.ts";
import { CallsLink, logFilterOf } from "./calls-link.tsx";
import { MetricAmount, metricAmounts } from "./metric-amount.tsx";
import { metricLabels, metricText } from "./metric-labels.ts";
import type { AnalyticsView } from "./period-bar.tsx";
import { type Metric, periodWindow } from "./period.ts";
import classes from "./analytics.module.css";

type RankingCardProps = AnalyticsView & { of: "models" | "users" };

export function RankingCard({ of, params, onChange }: RankingCardProps) {
  const { t } = useTranslation("analytics");
  const [now] = useState(() => new Date());
  const insights = useQuery(insightsQuery(params));
  const { metric } = params;
  const period = periodWindow(params, now);
  const rows = (insights.data?.[of] ?? [])
    .filter((row) => row[metric] > 0 || row.before[metric] > 0)
    .toSorted((one, two) => two[metric] - one[metric]);
  const filterOf = (row: RankedAmounts): Record<string, string> =>
    of === "models"
      ? { model_name: row.name, ...logFilterOf(params, insights.data) }
      : { username: row.name };
  return (
    <Section
      title={of === "models" ? t("Top models") : t("Top users")}
      hint={
        of === "models"
          ? t("Top 10 by charges, compared with the previous period")
          : t("Top 10 of all users by charges, compared with the previous period")
      }
    >
      {!insights.data ? (
        <QueryFallback query={insights}>
          <Skeleton height={320} />
        </QueryFallback>
      ) : rows.length === 0 ? (
        <Empty compact title={t("No calls in this period")} />
      ) : (
        <Figures
          amounts={metricAmounts(
            metric,
            rows.map((row) => row[metric]),
          )}
        >
          <thead>
            <tr>
              <th scope="col">{of === "models" ? t("Model") : t("Username")}</th>
              <th scope="col">{t(metricLabels[metric])}</th>
              <th scope="col">{t("Change")}</th>
              <th scope="col">{t("Calls")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  {of === "models" ? (
                    <span translate="no">{row.name}</span>
                  ) : (
                    <UnstyledButton
                      fz="inherit"
                      className={classes.link}
                      aria-pressed={params.user === row.id}
                      onClick={() => onChange({ user: params.user === row.id ? 0 : row.id })}
                    >
                      {row.name}
                    </UnstyledButton>
                  )}
                </th>
                <td>
                  <MetricAmount metric={metric} value={row[metric]} />
                </td>
                <td>
                  <Change row={row} metric={metric} />
                </td>
                <td>
                  <CallsLink row={row} period={period} filter={filterOf(row)} />
                </td>
              </tr>
            ))}
          </tbody>
        </Figures>
      )}
    </Section>
  );
}

function Change({ row, metric }: { row: RankedAmounts; metric: Metric }) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const [now, before] = [row[metric], row.before[metric]];
  const change = shareOf(now - before, before);
  if (change === null)
    return (
      <Text span c="dimmed" fz="inherit">
        {now > 0 ? t("New") : "–"}
      </Text>
    );
  const title = t("Previously {{amount}}", { amount: metricText(metric, before, format) });
  return <Trend share={change} title={title} />;
}
