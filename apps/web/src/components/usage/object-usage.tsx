/** Usage of a channel, an account or a token: figures of 24 hours, 30 days as bars, models, failures. */
import { LogType } from "@gateway/shared/usage/log-type";
import type { ObjectUsage } from "@gateway/shared/usage/object-usage";
import { SegmentedControl, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { pathOfCall } from "#lib/address/call-address.ts";
import { logAddress, logAddressOfDays } from "#lib/address/log-address.ts";
import { modelAddress } from "#lib/address/model-address.ts";
import { healthOf, hourText } from "#lib/channel-hours.ts";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { StackedBars } from "#ui/charts/stacked-bars.tsx";
import { tickDigits, topOf } from "#ui/charts/stacks.ts";
import { Figures } from "#ui/figures/figures.tsx";
import { Stat, Stats } from "#ui/figures/stats.tsx";
import { Halves, Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { ChannelHoursBar } from "./channel-hours.tsx";
import { FigureDefinition } from "./figure-definition.tsx";

/** Filter of the log that selects the calls of this object. */
type UsageFilter = Record<string, string | number>;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** @param first a figure shown before the others */
export function UsageStats({ usage, first }: { usage: ObjectUsage; first?: ReactNode }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [requests, failed, charged] = [sum(usage.requests), sum(usage.failed), sum(usage.charged)];
  const time = (ms: number | null) => (ms === null ? "–" : formatDuration(ms));
  const { latency } = usage;
  const rescued = sum(usage.rescued);
  const none = t("No successful calls");
  const newest =
    latency.since === null
      ? undefined
      : t("Median of the newest {{count}} calls, with the 95th percentile below.", { count: latency.calls });
  return (
    <Stats columns={first ? 5 : 4}>
      {first}
      <Stat
        title={t("Requests, 24 hours")}
        about={<FigureDefinition figure="requests" period="hours" />}
        value={format.whole(requests)}
        bad={requests > 0 && failed / requests >= 0.05 ? "line" : undefined}
        line={
          rescued === 0
            ? t("{{count}} failed", { count: failed })
            : `${t("{{count}} failed", { count: failed })} · ${t("{{count}} retried elsewhere", { count: rescued })}`
        }
      />
      <Stat
        title={t("Charged, 24 hours")}
        about={<FigureDefinition figure="charged" period="hours" />}
        value={format.quota(charged)}
        exact={format.exact(charged)}
        line={t("{{amount}} in 30 days", {
          amount: format.quota(sum(usage.days.map((day) => day.charged))),
        })}
      />
      <Stat
        title={t("Latency")}
        about={<FigureDefinition figure="duration" period="hours" note={newest} />}
        value={time(latency.p50)}
        line={latency.p95 === null ? none : `p95 ${time(latency.p95)}`}
      />
      <Stat
        title={t("Time to first token")}
        about={<FigureDefinition figure="first_token" period="hours" note={newest} />}
        value={time(latency.first_p50)}
        line={latency.first_p95 === null ? none : `p95 ${time(latency.first_p95)}`}
      />
    </Stats>
  );
}

/** Health over 24 hours as a figure. */
export function HoursStat({ usage }: { usage: ObjectUsage }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { calls, success } = healthOf(usage);
  return (
    <Stat
      title={t("Success, 24 hours")}
      about={<FigureDefinition figure="success" period="hours" />}
      value={
        <>
          {format.percent(success)}
          {calls === 0 ? null : (
            <Text span fz="xs" c="dimmed" fw={400} ml={8} lts={0}>
              {t("of {{count}} attempts", { count: calls })}
            </Text>
          )}
        </>
      }
      bad={success !== null && success < 0.95 ? "figure" : undefined}
      line={<ChannelHoursBar channel={usage} since={usage.since} />}
    />
  );
}

type UsageMetric = "charged" | "requests" | "tokens";

type ChartProps = {
  usage: ObjectUsage;
  /** Undefined for users who may not see the calls. Otherwise a click or a drag opens those of the selection. */
  filter: UsageFilter | undefined;
};

/** Calls, charges or tokens of 30 days. */
export function UsageChart({ usage, filter }: ChartProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const [metric, setMetric] = useState<UsageMetric>("charged");
  const names: Record<string, string> = {
    charged: t("Charged"),
    tokens: t("Tokens used"),
    served: t("Successful"),
    failed: t("Failed"),
  };
  const rows = usage.days.map((day) => ({
    date: day.date,
    charged: day.charged,
    tokens: day.tokens,
    served: day.requests - day.failed,
    failed: day.failed,
  }));
  const series = metric === "requests" ? ["served", "failed"] : [metric];
  const digits = tickDigits(topOf({ series, rows }) / format.pointsPerUsd);
  const print = metric === "charged" ? (points: number) => format.tick(points, digits) : format.whole;
  const isEmpty = usage.days.every((day) => day.requests === 0 && day.charged === 0);
  if (isEmpty)
    return (
      <Section title={t("30 days")}>
        <Text c="dimmed" fz="sm">
          {t("No calls in this period")}
        </Text>
      </Section>
    );
  return (
    <Section
      title={t("30 days")}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t("Metric")}
          value={metric}
          onChange={(next) => setMetric(next)}
          data={[
            { value: "charged", label: t("Charged") },
            { value: "requests", label: t("Requests") },
            { value: "tokens", label: t("Tokens used") },
          ]}
        />
      }
    >
      <StackedBars
        title={t("30 days")}
        series={series}
        rows={rows}
        tick={print}
        print={print}
        nameOf={(name) => names[name] ?? name}
        colors={{
          served: "var(--chart-1)",
          failed: "var(--chart-failed)",
          charged: "var(--chart-1)",
          tokens: "var(--chart-3)",
        }}
        onRange={
          filter &&
          (({ first, last }) =>
            void navigate(
              logAddressOfDays({ first: rows[first]?.date ?? "", last: rows[last]?.date ?? "" }, filter),
            ))
        }
        height={240}
      />
    </Section>
  );
}

/** Calls by hour, failed ones on top. */
export function HourChart({ usage, filter }: ChartProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const { since } = usage;
  const names: Record<string, string> = { served: t("Successful"), failed: t("Failed") };
  return (
    <Section title={t("Requests per hour")}>
      <StackedBars
        title={t("Requests per hour")}
        series={["served", "failed"]}
        rows={usage.requests.map((count, hour) => ({
          date: hourText(since, hour),
          served: count - (usage.failed[hour] ?? 0),
          failed: usage.failed[hour] ?? 0,
        }))}
        tick={format.whole}
        print={format.whole}
        nameOf={(name) => names[name] ?? name}
        colors={{ served: "var(--chart-1)", failed: "var(--chart-failed)" }}
        dayText={(date) => date}
        onRange={
          filter &&
          (({ first, last }) =>
            void navigate(logAddress(since + first * 3_600, filter, since + (last + 1) * 3_600 - 1)))
        }
        axisWidth={48}
        height={228}
      />
    </Section>
  );
}

/** Failures by reason, and calls by model. */
export function UsageDetails({ usage, filter }: ChartProps) {
  return (
    <Halves>
      <FailureList usage={usage} filter={filter} />
      <ModelList usage={usage} filter={filter} />
    </Halves>
  );
}

function FailureList({ usage, filter }: ChartProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { failures, last_failed: last, since } = usage;
  return (
    <Section title={t("Failed calls, 24 hours")}>
      {failures.reasons.length === 0 ? (
        <Text c="dimmed" fz="sm">
          {sum(usage.failed) > 0 ? t("These calls are no longer in the log.") : t("No failed calls")}
        </Text>
      ) : (
        <Stack gap="sm">
          <Figures label={t("Failed calls, 24 hours")} wraps>
            <tbody>
              {failures.reasons.map(({ code, status, count }) => {
                const label = failureLabel(code);
                const name = label === undefined ? code || t("Unknown") : t(label);
                return (
                  <tr key={`${code} ${status}`}>
                    <th scope="row">
                      {filter ? (
                        <QuietLink
                          to={logAddress(since, { ...filter, log_type: LogType.failed, error_code: code })}
                        >
                          {name}
                        </QuietLink>
                      ) : (
                        name
                      )}{" "}
                      <Text span fz="xs" c="dimmed">
                        {status}
                      </Text>
                    </th>
                    <td>{format.whole(count)}</td>
                  </tr>
                );
              })}
            </tbody>
          </Figures>
          {last ? (
            <Text fz="sm" c="dimmed">
              {t("Last failed call")} · <RelativeTime seconds={last.time} /> ·{" "}
              {filter ? (
                <QuietLink to={pathOfCall(last.request_id)}>{last.model || last.request_id}</QuietLink>
              ) : (
                last.model
              )}
            </Text>
          ) : null}
        </Stack>
      )}
    </Section>
  );
}

function ModelList({ usage, filter }: ChartProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Section title={t("Models, 24 hours")}>
      {usage.models.length === 0 ? (
        <Text c="dimmed" fz="sm">
          {t("No calls within 24 hours")}
        </Text>
      ) : (
        <Figures
          label={t("Models, 24 hours")}
          wraps
          amounts={{ charged: usage.models.map((model) => model.charged) }}
        >
          <thead>
            <tr>
              <th scope="col">{t("Model")}</th>
              <th scope="col">{t("Requests")}</th>
              <th scope="col">{t("Charged")}</th>
            </tr>
          </thead>
          <tbody>
            {usage.models.map(({ name, requests, charged }) => (
              <tr key={name}>
                <th scope="row">
                  <QuietLink to={modelAddress(name, true)}>{name || t("Unknown")}</QuietLink>
                </th>
                <td>
                  {filter ? (
                    <QuietLink to={logAddress(usage.since, { ...filter, model_name: name })}>
                      {format.whole(requests)}
                    </QuietLink>
                  ) : (
                    format.whole(requests)
                  )}
                </td>
                <td>
                  <Amount column="charged" points={charged} />
                </td>
              </tr>
            ))}
          </tbody>
        </Figures>
      )}
    </Section>
  );
}
