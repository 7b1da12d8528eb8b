/** The state of the gateway: figures of 24 hours, issues, channels, failures and changes. */
import type { Overview } from "@gateway/shared/usage/overview";
import { Skeleton } from "@mantine/core";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import { QueryFallback } from "#ui/empty.tsx";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { LiveState } from "#ui/live-state.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { overviewQuery, useLiveOverview } from "./api.ts";
import { AttentionCard } from "./attention-card.tsx";
import { ChangesCard } from "./changes-card.tsx";
import { ChannelsCard } from "./channels-card.tsx";
import { FailuresCard } from "./failures-card.tsx";
import { StatStrip } from "./stat-strip.tsx";
import { TrafficChart } from "./traffic-chart.tsx";
import classes from "./overview.module.css";

type OverviewPageProps = {
  /** Link to the user's own usage. */
  tabs: ReactNode;
  /** Setup steps of a fresh installation. */
  firstSteps: ReactNode;
};

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(overviewQuery);
}

export default function OverviewPage({ tabs, firstSteps }: OverviewPageProps) {
  const { t } = useTranslation("overview");
  const overview = useQuery(overviewQuery);
  const [state, retry] = useLiveOverview();
  return (
    <Page
      title={t("Dashboard")}
      description={t("The last 24 hours, compared with the 24 hours before.")}
      actions={<LiveState state={state} onRetry={retry} />}
    >
      {tabs}
      {firstSteps}
      {overview.data ? (
        <Content overview={overview.data} />
      ) : (
        <QueryFallback query={overview}>
          <Waiting />
        </QueryFallback>
      )}
    </Page>
  );
}

function Content({ overview }: { overview: Overview }) {
  const { traffic, channels, attention, since } = overview;
  return (
    <>
      <ErrorBoundary>{traffic ? <StatStrip traffic={traffic} /> : null}</ErrorBoundary>
      <div className={traffic ? classes.wideAndNarrow : classes.alone}>
        {traffic ? <TrafficSection traffic={traffic} since={since} /> : null}
        <ErrorBoundary>
          <AttentionCard items={attention} since={since} />
        </ErrorBoundary>
      </div>
      <ErrorBoundary>{channels ? <ChannelsCard channels={channels} since={since} /> : null}</ErrorBoundary>
      {traffic ? (
        <div className={classes.thirds}>
          <FailuresCard failures={traffic.failures} failed={traffic.failed.now} since={since} />
          <ChangesCard of="models" changes={traffic.models} since={since} />
          <ChangesCard of="users" changes={traffic.users} since={since} />
        </div>
      ) : null}
    </>
  );
}

type TrafficSectionProps = { traffic: NonNullable<Overview["traffic"]>; since: number };

function TrafficSection({ traffic, since }: TrafficSectionProps) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const { rpm, tpm } = traffic.rate;
  return (
    <Section
      title={t("Requests per hour")}
      hint={t("Now: {{tokens}} tokens and {{count}} requests per minute", {
        tokens: format.short(tpm),
        count: rpm,
      })}
    >
      <TrafficChart traffic={traffic} since={since} />
    </Section>
  );
}

/** Placeholders for the content. */
function Waiting() {
  return (
    <>
      <Skeleton height={106} radius="lg" />
      <div className={classes.wideAndNarrow}>
        <Skeleton height={330} radius="lg" />
        <Skeleton height={330} radius="lg" />
      </div>
      <Skeleton height={300} radius="lg" />
    </>
  );
}
