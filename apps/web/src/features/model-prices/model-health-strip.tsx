/** Health of a model over 24 hours: availability by the hour, latency, speed. */
import type { ModelHealth } from "@gateway/shared/models/model-health";
import { Card, Group, Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FigureDefinition } from "#components/usage/figure-definition.tsx";
import { HourBars, useShareBars } from "#components/usage/hour-bars.tsx";
import { hourText } from "#lib/channel-hours.ts";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { Stat, Stats } from "#ui/figures/stats.tsx";

type ModelHealthStripProps = {
  health: ModelHealth | undefined;
  /** Unix seconds of the first hour. */
  since: number | undefined;
  pending: boolean;
};

export function ModelHealthStrip({ health, since, pending }: ModelHealthStripProps) {
  const { t } = useTranslation("model-prices");
  const format = useFormat();
  const barsOf = useShareBars();
  if (pending) return <Skeleton height={96} radius="lg" />;
  if (health === undefined || since === undefined)
    return (
      <Card padding="lg">
        <Text c="dimmed" fz="sm">
          {t("No calls in the last 24 hours. Availability and speed are unknown.")}
        </Text>
      </Card>
    );
  const time = (ms: number | null) => (ms === null ? "–" : formatDuration(ms));
  const bars = barsOf(health.hourly, (hour) => hourText(since, hour));
  return (
    <Stats columns={4}>
      <Stat
        title={t("Availability, 24 hours")}
        about={t("Share of valid calls that were served successfully.")}
        value={
          <Group gap={12} component="span" wrap="nowrap">
            {format.percent(health.availability)}
            <HourBars
              label={t("Availability by hour: {{share}} in total", {
                share: format.percent(health.availability),
              })}
              bars={bars}
              barWidth={4}
              height={20}
            />
          </Group>
        }
        line={t("By hour, up to the current hour")}
      />
      <Stat
        title={t("Latency")}
        about={
          <FigureDefinition
            figure="duration"
            period="hours"
            note={t("Median, with the 95th percentile below.")}
          />
        }
        value={time(health.p50)}
        line={health.p95 === null ? t("No successful calls") : `p95 ${time(health.p95)}`}
      />
      <Stat
        title={t("Time to first token")}
        about={
          <FigureDefinition
            figure="first_token"
            period="hours"
            note={t("Median, with the 95th percentile below.")}
          />
        }
        value={time(health.first_p50)}
        line={health.first_p95 === null ? t("No successful calls") : `p95 ${time(health.first_p95)}`}
      />
      <Stat
        title={t("Throughput")}
        about={t("Median output tokens per second of streams, measured after the first token.")}
        value={health.tokens_per_second === null ? "–" : format.whole(Math.round(health.tokens_per_second))}
        line={t("tokens per second")}
      />
    </Stats>
  );
}
