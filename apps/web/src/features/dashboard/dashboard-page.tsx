/** Today at a glance, the last seven days, and how to make a call. */
import { Button, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { CodeSamples, sampleModel } from "#components/code-samples.tsx";
import { useFormat } from "#lib/quota.ts";
import { useSelf } from "#lib/session.ts";
import { useServerAddress } from "#lib/site.ts";
import { Empty, Failed } from "#ui/empty.tsx";
import { Page, Section } from "#ui/page.tsx";
import { dashboardQuery, modelsQuery, shownDays } from "./api.ts";
import { DayTable } from "./day-table.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { ModelsCard } from "./models-card.tsx";
import { RateCard } from "./rate-card.tsx";
import { SpendChart } from "./spend-chart.tsx";
import { StatCard } from "./stat-card.tsx";
import { StatementsCard } from "./statements-card.tsx";
import { change, type DaySum, stackByModel, sumByDay } from "./usage.ts";
import classes from "./dashboard.module.css";

export default function DashboardPage() {
  const { t } = useTranslation();
  const self = useSelf();
  return (
    <Page
      title={t("Dashboard")}
      description={t("Hello {{name}}, this is how things stand.", {
        name: self?.display_name || self?.username,
      })}
    >
      <FirstSteps />
      <Usage />
      <div className={classes.halves}>
        <ModelsCard />
        <QuickStart />
      </div>
      <StatementsCard />
    </Page>
  );
}

/** As many empty days as the answer will have. */
const awaitedDays = Array.from({ length: shownDays }, (_, day) => `#${day}`);

function Usage() {
  const { t } = useTranslation();
  const format = useFormat();
  const dashboard = useQuery(dashboardQuery);
  if (dashboard.error && !dashboard.data)
    return <Failed error={dashboard.error} onRetry={() => void dashboard.refetch()} />;

  const dates = dashboard.data?.dates ?? awaitedDays;
  const usage = dashboard.data?.usage ?? [];
  const days = sumByDay(usage, dates);
  const week = days.slice(1);
  const today = days.at(-1);
  const stacks = stackByModel(usage, dates.slice(1));
  const weekSpend = week.reduce((sum, day) => sum + day.quota, 0);
  const card = (
    title: string,
    color: string,
    of: (day: DaySum) => number,
    print: (value: number) => string,
  ) => (
    <StatCard
      title={title}
      value={dashboard.data && today ? print(of(today)) : undefined}
      change={change(days, of)}
      trend={week.map(of)}
      color={color}
    />
  );
  return (
    <>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "md" }}>
        {card(t("Requests today"), "var(--chart-1)", (day) => day.requests, format.whole)}
        {card(t("Spend today"), "var(--chart-3)", (day) => day.quota, format.quota)}
        {card(
          t("Tokens today"),
          "var(--chart-2)",
          (day) => day.promptTokens + day.completionTokens,
          format.short,
        )}
        <RateCard
          rate={dashboard.data?.rate}
          refreshing={dashboard.isFetching}
          onRefresh={() => void dashboard.refetch()}
        />
      </SimpleGrid>
      <div className={classes.wideAndNarrow}>
        <Section
          title={t("Spend by model")}
          hint={t("The last seven days")}
          aside={
            <Text fw={600} className="tabular" title={format.exact(weekSpend)}>
              {dashboard.data ? format.quota(weekSpend) : null}
            </Text>
          }
        >
          {dashboard.isPending ? (
            <Skeleton height={260} />
          ) : stacks.series.length === 0 ? (
            <Empty
              icon={IconChartBar}
              title={t("Nothing was spent this week")}
              hint={t("Each call with a price shows up here within a minute.")}
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
  const { t } = useTranslation();
  const address = useServerAddress();
  const models = Object.keys(useQuery(modelsQuery).data ?? {}).sort((a, b) => a.localeCompare(b));
  return (
    <Section
      title={t("Quick start")}
      hint={t("Any OpenAI client works: change its address and its key.")}
      aside={
        <Button component={Link} to="/panel/token" variant="default" size="xs">
          {t("Get a key")}
        </Button>
      }
    >
      <CodeSamples address={address} model={sampleModel(models)} />
    </Section>
  );
}
