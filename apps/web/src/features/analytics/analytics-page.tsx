/**
 * Usage and money of all users: a period by model, provider,
 * channel, user or group, and the current state of the site.
 */
import { Tabs } from "@mantine/core";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/address/list-params.ts";
import { initialOf } from "#lib/address/params.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Halves, Page } from "#ui/page/page.tsx";
import { insightsQuery, periodQuery, siteQuery } from "./api.ts";
import { ChannelInsights } from "./channel-insights.tsx";
import { MoneySection } from "./money-section.tsx";
import { PeriodBar } from "./period-bar.tsx";
import { PeriodCards } from "./period-cards.tsx";
import { type AnalyticsParams, analyticsParams } from "./period.ts";
import { RankingCard } from "./ranking-card.tsx";
import { SiteCards } from "./site-cards.tsx";
import { UsageSection } from "./usage-section.tsx";
import { UserFilter } from "./user-filter.tsx";

const StatementsTab = lazyPart(() =>
  import("./statements/statements-tab.tsx").then((module) => module.StatementsTab),
);
const FlowSection = lazyPart(() => import("./flow/flow-section.tsx").then((module) => module.FlowSection));

export function prefetch(client: QueryClient): Promise<unknown> {
  const params = initialOf(analyticsParams);
  return Promise.all([
    client.prefetchQuery(periodQuery(params)),
    client.prefetchQuery(insightsQuery(params)),
    client.prefetchQuery(siteQuery),
  ]);
}

export default function AnalyticsPage() {
  const { t } = useTranslation("analytics");
  const [params, setParams] = useListParams(analyticsParams);
  const view = { params, onChange: setParams };
  return (
    <Page
      title={t("Analytics")}
      description={t("Usage and cost of all users. Days are in your time zone.")}
      actions={
        params.tab === "usage" ? (
          <>
            <UserFilter userId={params.user} onChange={(user) => setParams({ user })} />
            <PeriodBar {...view} />
          </>
        ) : null
      }
    >
      <Tabs
        value={params.tab}
        onChange={(tab) => setParams({ tab: tab === "statements" ? "statements" : "usage" })}
      >
        <Tabs.List>
          <Tabs.Tab value="usage">{t("Usage")}</Tabs.Tab>
          <Tabs.Tab value="statements">{t("Monthly statements")}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {params.tab === "statements" ? (
        <StatementsTab />
      ) : (
        <>
          <SumsOfPeriod params={params} />
          <UsageSection {...view} />
          <Halves>
            <RankingCard of="models" {...view} />
            <RankingCard of="users" {...view} />
          </Halves>
          <FlowSection {...view} />
          <ChannelInsights params={params} />
          <SiteCards />
          <MoneySection params={params} />
        </>
      )}
    </Page>
  );
}

function SumsOfPeriod({ params }: { params: AnalyticsParams }) {
  const { data, isPlaceholderData, error } = useQuery(periodQuery(params));
  // The section below shows the error.
  if (error && !data) return null;
  return (
    <PeriodCards
      period={data}
      old={isPlaceholderData}
      activeUsers={params.user === 0 ? data?.active_users : undefined}
    />
  );
}
