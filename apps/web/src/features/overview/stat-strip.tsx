/** Six figures of the last 24 hours side by side, each with its change. */
import type { PeriodComparison, LatencySample, Traffic } from "@gateway/shared/usage/overview";
import { useTranslation } from "react-i18next";
import { FigureDefinition } from "#components/usage/figure-definition.tsx";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { Stat, Stats } from "#ui/figures/stats.tsx";
import { hasNoChange, Trend } from "#ui/figures/trend.tsx";
import { changeOf, errorRate } from "./figures.ts";
import classes from "./overview.module.css";

const lastDay = { period: "hours", compared: "day" } as const;

export function StatStrip({ traffic }: { traffic: Traffic }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const { requests, failed, charged, provider_cost: cost, latency } = traffic;
  const rate = errorRate(traffic);
  const margin = charged.now - cost.now;
  return (
    <Stats columns={6}>
      <Stat
        title={t("Requests")}
        about={<FigureDefinition figure="requests" {...lastDay} />}
        value={format.whole(requests.now)}
        line={<Change compared={requests} />}
      />
      <Stat
        title={t("Error rate")}
        about={<FigureDefinition figure="error_rate" {...lastDay} />}
        value={format.percent(rate.now)}
        bad={(rate.now ?? 0) >= 0.05 ? "figure" : undefined}
        line={
          <>
            <span className={classes.part}>{t("{{count}} failed", { count: failed.now })}</span>
            {rate.before === null ? null : <Before text={format.percent(rate.before)} />}
          </>
        }
      />
      <Latency
        title={t("Latency")}
        now={[latency.now.p50, latency.now.p95]}
        before={latency.before.p95}
        sample={latency.now}
        figure="duration"
      />
      <Latency
        title={t("Time to first token")}
        now={[latency.now.first_p50, latency.now.first_p95]}
        before={latency.before.first_p95}
        sample={latency.now}
        figure="first_token"
      />
      <Stat
        title={t("Charged")}
        about={<FigureDefinition figure="charged" {...lastDay} />}
        value={format.quota(charged.now)}
        exact={format.exact(charged.now)}
        line={<Change compared={charged} />}
      />
      <Stat
        title={t("Provider cost")}
        about={
          <FigureDefinition
            figure="provider_cost"
            {...lastDay}
            note={
              traffic.free_requests > 0
                ? t("Excludes {{count}} calls of free groups.", { count: traffic.free_requests })
                : undefined
            }
          />
        }
        value={format.quota(cost.now)}
        exact={format.exact(cost.now)}
        line={t("Margin {{amount}}", { amount: format.quota(margin) })}
      />
    </Stats>
  );
}

type LatencyProps = {
  title: string;
  now: [number | null, number | null];
  /** The 95th percentile of the previous day. */
  before: number | null;
  sample: LatencySample;
  figure: "duration" | "first_token";
};

function Latency({ title, now: [p50, p95], before, sample, figure }: LatencyProps) {
  const { t } = useTranslation("overview");
  const text = (ms: number | null) => (ms === null ? "–" : formatDuration(ms));
  return (
    <Stat
      title={title}
      about={
        <FigureDefinition
          figure={figure}
          {...lastDay}
          note={
            sample.since === null
              ? undefined
              : t("Median of the newest {{count}} calls, with the 95th percentile below.", {
                  count: sample.calls,
                })
          }
        />
      }
      value={text(p50)}
      line={
        p95 === null ? (
          t("No successful calls")
        ) : (
          <>
            <span className={classes.part}>p95 {text(p95)}</span>
            {before === null ? null : <Before text={text(before)} />}
          </>
        )
      }
    />
  );
}

/** The value of the previous day. It stands on a line of its own where the column is narrow. */
function Before({ text }: { text: string }) {
  const { t } = useTranslation("overview");
  return (
    <>
      {" · "}
      <span className={classes.part}>{t("Previously {{share}}", { share: text })}</span>
    </>
  );
}

function Change({ compared }: { compared: PeriodComparison }) {
  const { t } = useTranslation("overview");
  const share = changeOf(compared);
  if (share === null) return compared.now === 0 ? t("No change") : t("No data for the day before");
  if (hasNoChange(share)) return t("No change");
  return <Trend share={share} label={(percent) => t("{{share}} vs. day before", { share: percent })} />;
}
