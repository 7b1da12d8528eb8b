/** Each channel in the period: failures, response times and revenue. */
import { shareOf } from "@gateway/shared/usage/figures";
import { LogType } from "@gateway/shared/usage/log-type";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { logAddress } from "#lib/address/log-address.ts";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Figures } from "#ui/figures/figures.tsx";
import { Section } from "#ui/page/page.tsx";
import { insightsQuery } from "./api.ts";
import { CallsLink, logFilterOf } from "./calls-link.tsx";
import { type AnalyticsParams, periodWindow } from "./period.ts";
import classes from "./analytics.module.css";

export function ChannelInsights({ params }: { params: AnalyticsParams }) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const [now] = useState(() => new Date());
  const insights = useQuery(insightsQuery(params));
  const period = periodWindow(params, now);
  const rows = insights.data?.channels ?? [];
  const time = (ms: number | null) => (ms === null ? "–" : formatDuration(ms));
  return (
    <Section
      title={t("Channels in this period")}
      hint={t(
        "Latency covers the newest 5,000 calls. Margin is charges minus the cost at list prices. Groups with ratio 0 are excluded.",
      )}
    >
      {!insights.data ? (
        <QueryFallback query={insights}>
          <Skeleton height={220} />
        </QueryFallback>
      ) : rows.length === 0 ? (
        <Empty compact title={t("No calls in this period")} />
      ) : (
        <Figures
          label={t("Channels in this period")}
          amounts={{
            spend: rows.map((row) => row.quota),
            cost: rows.map((row) => row.cost),
            margin: rows.map((row) => row.charged - row.cost),
          }}
        >
          <thead>
            <tr>
              <th scope="col">{t("Channel")}</th>
              <th scope="col">{t("Calls")}</th>
              <th scope="col">{t("Error rate")}</th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
              <th scope="col">{t("Charged")}</th>
              <th scope="col">{t("Provider cost")}</th>
              <th scope="col">{t("Margin")}</th>
              <th scope="col">{t("Margin, %")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const filter = { channel_id: row.id, ...logFilterOf(params, insights.data) };
              const margin = row.charged - row.cost;
              const hasCost = row.charged > 0;
              return (
                <tr key={row.id}>
                  <th scope="row" translate="no">
                    {row.name}
                  </th>
                  <td>
                    <CallsLink row={row} period={period} filter={filter} />
                  </td>
                  <td>
                    {row.failed === 0 ? (
                      format.percent(shareOf(row.failed, row.requests))
                    ) : (
                      <Link
                        className={classes.link}
                        to={logAddress(
                          period.start_timestamp,
                          { ...filter, log_type: LogType.failed },
                          period.end_timestamp,
                        )}
                        aria-label={t("{{share}} of the calls of {{name}} failed", {
                          share: format.percent(shareOf(row.failed, row.requests)),
                          name: row.name,
                        })}
                      >
                        {format.percent(shareOf(row.failed, row.requests))}
                      </Link>
                    )}
                  </td>
                  <td>{time(row.p50)}</td>
                  <td>{time(row.p95)}</td>
                  <td>
                    <Amount column="spend" points={row.quota} />
                  </td>
                  <td>{hasCost ? <Amount column="cost" points={row.cost} /> : "–"}</td>
                  <td>{hasCost ? <Amount column="margin" points={margin} /> : "–"}</td>
                  <td>{hasCost ? format.percent(shareOf(margin, row.charged)) : "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </Figures>
      )}
    </Section>
  );
}
