/** Calls by hour, failed ones on top, with the day before as a line. A click or a drag opens the calls of these hours. */
import type { Traffic } from "@gateway/shared/usage/overview";
import { Center } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { logAddress } from "#lib/address/log-address.ts";
import { hourText } from "#lib/channel-hours.ts";
import { useFormat } from "#lib/format/quota.ts";
import { useMayEnter } from "#lib/session.ts";
import { StackedBars } from "#ui/charts/stacked-bars.tsx";
import { Empty } from "#ui/empty.tsx";

/** Height of the chart with its legend, which the first call brings. */
const emptyHeight = 264;

const colors = { served: "var(--chart-1)", failed: "var(--chart-failed)" };

export function TrafficChart({ traffic, since }: { traffic: Traffic; since: number }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const { requests, failed, requests_before: before } = traffic.hourly;
  const navigate = useNavigate();
  const seesLogs = useMayEnter("logs");
  const names: Record<string, string> = { served: t("Successful"), failed: t("Failed") };
  const rows = requests.map((count, hour) => ({
    date: hourText(since, hour),
    served: count - (failed[hour] ?? 0),
    failed: failed[hour] ?? 0,
  }));
  if ([...requests, ...before].every((count) => count === 0))
    return (
      <Center h={emptyHeight}>
        <Empty compact icon={IconChartBar} title={t("No calls within 24 hours")} />
      </Center>
    );
  return (
    <StackedBars
      title={t("Requests per hour")}
      series={["served", "failed"]}
      rows={rows}
      tick={format.whole}
      print={format.whole}
      nameOf={(name) => names[name] ?? name}
      colors={colors}
      dayText={(date) => date}
      axisWidth={48}
      line={before.some((count) => count > 0) ? { name: t("Day before"), values: before } : undefined}
      onRange={
        seesLogs
          ? ({ first, last }) =>
              void navigate(logAddress(since + first * 3_600, {}, since + (last + 1) * 3_600 - 1))
          : undefined
      }
      height={228}
    />
  );
}
