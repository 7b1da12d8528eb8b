/** The dashboard: balance, figures of today, failures, the last seven days, and how to make a call. */
import { callsOf } from "@gateway/shared/usage/figures";
import { Button, Text } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { CodeSamples } from "#components/samples/code-samples.tsx";
import { sampleModel } from "#components/samples/sample-model.ts";
import { useFormat } from "#lib/format/quota.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useSelf } from "#lib/session.ts";
import { useServerAddress } from "#lib/site.ts";
import { ChartSkeleton } from "#ui/charts/chart-skeleton.tsx";
import { Empty, LoadError } from "#ui/empty.tsx";
import { LiveState } from "#ui/live-state.tsx";
import { Halves, Page, Section } from "#ui/page/page.tsx";
import { dashboardQuery, recentTokensQuery, shownDays, useLiveAccount } from "./api.ts";
import { BalanceCard } from "./balance-card.tsx";
import { BudgetCard } from "./budget-card.tsx";
import { DayTable } from "./day-table.tsx";
import { FailuresAlert } from "./failures-alert.tsx";
import { ModelsCard } from "./models-card.tsx";
import { RateCard } from "./rate-card.tsx";
import { SpendChart } from "./spend-chart.tsx";
import { StatCard } from "./stat-card.tsx";
import { TokensCard } from "./tokens-card.tsx";
import { change, type DaySum, stackByModel, sumByDay } from "./usage.ts";
import classes from "./dashboard.module.css";

type DashboardPageProps = {
  /** Link to the state of the gateway, for administrators. */
  tabs?: ReactNode;
  /** Setup steps of a new account. */
  firstSteps: ReactNode;
};

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(dashboardQuery);
}

export default function DashboardPage({ tabs, firstSteps }: DashboardPageProps) {
  const { t } = useTranslation("dashboard");
  const [state, retry] = useLiveAccount();
  return (
    <Page
      title={t("Dashboard")}
      description={t("Your balance, your calls and your models.")}
      actions={<LiveState state={state} onRetry={retry} />}
    >
      {tabs}
      {firstSteps}
      <FailuresAlert />
      {useSelf()?.has_budget ? <BudgetCard /> : null}
      <Usage />
      <Halves>
        <TokensCard />
        <QuickStart />
      </Halves>
      <ModelsCard />
    </Page>
  );
}

/** Placeholder rows, as many as the response will have. */
const awaitedDays = Array.from({ length: shownDays }, (_, day) => `#${day}`);

function Usage() {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  const dashboard = useQuery(dashboardQuery);
  if (dashboard.error && !dashboard.data)
    return <LoadError error={dashboard.error} onRetry={() => void dashboard.refetch()} />;

  const dates = dashboard.data?.dates ?? awaitedDays;
  const usage = dashboard.data?.usage ?? [];
  const days = sumByDay(usage, dates);
  const week = days.slice(1);
  const today = days.at(-1);
  const stacks = stackByModel(usage, dates.slice(1));
  const weekSpend = week.reduce((sum, day) => sum + day.quota, 0);
  const before = dashboard.data?.yesterday;
  const card = (title: string, color: string, of: (day: DaySum) => number, yesterday: number | undefined) => {
    const value = today ? of(today) : 0;
    return {
      title,
      color,
      trend: week.map(of),
      change: change(value, yesterday ?? 0),
      value: dashboard.data ? value : undefined,
    };
  };
  const requests = card(
    t("Requests today"),
    "var(--chart-1)",
    (day) => day.requests,
    before && callsOf(before),
  );
  const spend = card(t("Charged today"), "var(--chart-3)", (day) => day.quota, before?.quota);
  const tokens = card(
    t("Tokens today"),
    "var(--chart-2)",
    (day) => day.promptTokens + day.completionTokens,
    before?.tokens,
  );
  return (
    <>
      <div className={classes.cards}>
        <BalanceCard days={dashboard.data ? days : undefined} />
        <StatCard {...spend} figure="charged" print={format.quota} exact={format.exact} />
        <StatCard {...requests} figure="requests" print={format.whole} />
        <StatCard {...tokens} figure="tokens" print={format.short} exact={format.whole} />
        <RateCard
          rate={dashboard.data?.rate}
          refreshing={dashboard.isFetching}
          onRefresh={() => void dashboard.refetch()}
        />
      </div>
      <div className={classes.wideAndNarrow}>
        <Section
          title={t("Charged by model")}
          hint={t("Last 7 days")}
          aside={
            <Text fw={600} className="tabular" title={format.exact(weekSpend)}>
              {dashboard.data ? format.quota(weekSpend) : null}
            </Text>
          }
        >
          {dashboard.isPending ? (
            <ChartSkeleton />
          ) : stacks.series.length === 0 ? (
            <Empty
              icon={IconChartBar}
              title={t("No spending this week")}
              hint={t("Charged calls appear here within a minute.")}
            />
          ) : (
            <SpendChart {...stacks} />
          )}
        </Section>
        <Section title={t("Usage by day")}>
          <DayTable days={week} loading={dashboard.isPending} />
        </Section>
      </div>
    </>
  );
}

function QuickStart() {
  const { t } = useTranslation("dashboard");
  const address = useServerAddress();
  const models = useQuery(modelsQuery).data ?? {};
  // Until the tokens are known: only a new account has none.
  const hasKey = useQuery(recentTokensQuery).data?.data.length !== 0;
  return (
    <Section
      title={t("Quick start")}
      hint={t("Works with any OpenAI client. Change its base URL and API key.")}
      aside={
        hasKey ? (
          <Button component={Link} to="/panel/connect" variant="default" size="xs">
            {t("Clients")}
          </Button>
        ) : (
          <Button component={Link} to="/panel/token" variant="default" size="xs">
            {t("Get a key")}
          </Button>
        )
      }
    >
      <CodeSamples sample={{ address, model: sampleModel(models) }} />
    </Section>
  );
}
