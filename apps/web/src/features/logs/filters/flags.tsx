/** Frequent filters with their counts. A click shows only the matching calls. */
import type { LogFacets } from "@gateway/shared/usage/log";
import { Button, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { timeOfDay } from "#features/logs/list/time-cell.tsx";
import { decimalsOf, formatDuration, useFormat } from "#lib/format/quota.ts";
import type { LogFilter } from "./log-filter.ts";
import classes from "./facets.module.css";

type FlagsProps = {
  facets: LogFacets;
  filter: LogFilter;
  onChange: (patch: Partial<LogFilter>) => void;
  /** Includes filters that only administrators see. */
  forAdmins: boolean;
};

export function Flags({ facets, filter, onChange, forAdmins }: FlagsProps) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const { slow, expensive } = facets;
  const failedOutcome = "failed" as const;
  const failed = facets.outcome.find(({ value }) => value === failedOutcome)?.count ?? 0;
  const flags = [
    {
      label: t("Failed"),
      count: failed,
      on: filter.outcome === failedOutcome,
      patch: { outcome: failedOutcome },
      off: { outcome: "" as const },
    },
    ...(forAdmins
      ? [
          {
            label: t("Retried"),
            count: facets.retried,
            on: filter.retried === 1,
            patch: { retried: 1 },
            off: { retried: 0 },
          },
        ]
      : []),
    {
      label: t("≥ {{limit}}", { limit: formatDuration(slow.min_time) }),
      hint: t("Slow calls"),
      count: slow.count,
      on: filter.min_time > 0,
      patch: { min_time: slow.min_time },
      off: { min_time: 0 },
    },
    {
      label: t("≥ {{limit}}", {
        limit: format.inColumn(expensive.min_quota, decimalsOf([expensive.min_quota], format.pointsPerUsd)),
      }),
      hint: t("Expensive calls"),
      count: expensive.count,
      on: filter.min_quota > 0,
      patch: { min_quota: expensive.min_quota },
      off: { min_quota: 0 },
    },
  ];
  return (
    <div className={classes.flags} role="group" aria-label={t("Quick filters")}>
      {flags
        .filter(({ on, count }) => on || count > 0)
        .map(({ label, hint, count, on, patch, off }) => (
          <Button
            key={hint ?? label}
            size="xs"
            variant={on ? "light" : "default"}
            aria-pressed={on}
            aria-label={hint === undefined ? undefined : `${hint} ${label} ${count}`}
            title={hint}
            onClick={() => onChange(on ? off : patch)}
          >
            {label}{" "}
            <Text span c="dimmed" fz="xs" ml={6} className="tabular">
              {format.whole(count)}
            </Text>
          </Button>
        ))}
      {facets.complete ? null : (
        <Text fz="xs" c="dimmed" w="100%">
          {t("Counts cover the newest {{number}} calls, since {{time}}", {
            number: format.whole(facets.counted),
            time: timeOfDay(facets.since),
          })}
        </Text>
      )}
    </div>
  );
}
