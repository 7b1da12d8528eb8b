import type { OwnPeriod, UsageSum } from "@gateway/shared/usage/analytics";
import {
  type Figure,
  averageDurationOf,
  averageFirstByteOf,
  callsOf,
  errorRateOf,
  shareOf,
  tokensOf,
} from "@gateway/shared/usage/figures";
import { Card, Group, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FigureDefinition } from "#components/usage/figure-definition.tsx";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { Sparkline } from "#ui/charts/sparkline.tsx";
import { About } from "#ui/figures/about.tsx";
import { hasNoChange, Trend } from "#ui/figures/trend.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { trendOf } from "./period.ts";
import classes from "./analytics.module.css";

type PeriodCardsProps = {
  /** Undefined while loading. */
  period: OwnPeriod | undefined;
  /** The figures are of another period, until those of this one have arrived. */
  old: boolean;
  /** Undefined for the period of one account. */
  activeUsers?: number | undefined;
};

/** The sums of the period, compared with the same number of days before it. */
export function PeriodCards({ period, old, activeUsers }: PeriodCardsProps) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const phone = useIsPhone();
  const totals = period?.totals;
  const failed = totals ? errorRateOf(totals) : null;
  const cached = totals ? shareOf(totals.cached_tokens, totals.prompt_tokens) : null;
  const firstByte = totals ? averageFirstByteOf(totals) : null;
  const { count = 0, quota = 0 } = period?.searches ?? {};
  return (
    <SimpleGrid
      cols={{ base: 2, lg: count > 0 ? 5 : 4 }}
      spacing={{ base: "sm", sm: "md" }}
      className={old ? classes.old : undefined}
    >
      <SumCard
        title={t("Charged")}
        figure="charged"
        period={period}
        of={(sum) => sum.quota}
        print={format.quota}
        color="var(--chart-1)"
        trend={(row) => row.Quota}
        note={activeUsers === undefined ? undefined : t("{{count}} active users", { count: activeUsers })}
      />
      <SumCard
        title={t("Requests")}
        figure="requests"
        period={period}
        of={callsOf}
        print={format.whole}
        color="var(--chart-3)"
        trend={(row) => row.RequestCount + row.FailedCount}
        note={failed === null ? undefined : t("{{share}} failed", { share: format.percent(failed) })}
      />
      <SumCard
        title={t("Token count")}
        figure="tokens"
        period={period}
        of={tokensOf}
        print={format.short}
        color="var(--chart-2)"
        trend={(row) => row.PromptTokens + row.CompletionTokens}
        note={
          cached === null ? undefined : t("{{share}} of the input cached", { share: format.percent(cached) })
        }
      />
      <SumCard
        title={t("Avg. duration")}
        figure="duration"
        period={period}
        of={(sum) => averageDurationOf(sum) ?? 0}
        print={(ms) => (ms === 0 ? "–" : formatDuration(ms))}
        color="var(--chart-4)"
        note={
          firstByte === null ? undefined : t("First byte after {{time}}", { time: formatDuration(firstByte) })
        }
      />
      {period && count > 0 ? (
        <Card padding="md" className={classes.stat}>
          <Text fz="sm" c="dimmed">
            <About title={t("Cost of searches")}>
              <FigureDefinition figure="searches" period="days" />
            </About>
          </Text>
          <Group justify="space-between" align="flex-end" wrap="nowrap" gap="xs">
            <Text className={classes.value}>{format.quota(quota)}</Text>
            {phone ? null : (
              <Sparkline values={trendOf(period, (row) => row.SearchQuota)} color="var(--chart-5)" />
            )}
          </Group>
          <Text fz="xs" c="dimmed">
            {t("{{count}} web searches", { count })}
          </Text>
        </Card>
      ) : null}
    </SimpleGrid>
  );
}

type SumCardProps = {
  title: string;
  figure: Figure;
  period: OwnPeriod | undefined;
  of: (sum: UsageSum) => number;
  print: (value: number) => string;
  color: string;
  trend?: (row: OwnPeriod["channel_statistics"][number]) => number;
  note: string | undefined;
};

function SumCard({ title, figure, period, of, print, color, trend, note }: SumCardProps) {
  const phone = useIsPhone();
  return (
    <Card padding="md" className={classes.stat}>
      <Text fz="sm" c="dimmed">
        <About title={title}>
          <FigureDefinition figure={figure} period="days" compared="previous" />
        </About>
      </Text>
      {period ? (
        <Group justify="space-between" align="flex-end" wrap="nowrap" gap="xs">
          <Text className={classes.value}>{print(of(period.totals))}</Text>
          {phone || !trend ? null : <Sparkline values={trendOf(period, trend)} color={color} />}
        </Group>
      ) : (
        <Skeleton height={26} width={90} my={5} />
      )}
      {period ? (
        // As tall as its text, also without one, so that the values of a row are level.
        <Group gap="2px 10px" mih={17}>
          <Change now={of(period.totals)} before={of(period.before)} />
          {note ? (
            <Text fz="xs" c="dimmed">
              {note}
            </Text>
          ) : null}
        </Group>
      ) : (
        <Skeleton height={12} width={110} my={3} />
      )}
    </Card>
  );
}

function Change({ now, before }: { now: number; before: number }) {
  const change = shareOf(now - before, before);
  if (change === null || hasNoChange(change)) return null;
  return (
    <Text fz="xs" c="dimmed">
      <Trend share={change} />
    </Text>
  );
}
