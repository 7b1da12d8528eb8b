/** The last tests of a channel as a sparkline. All visible rows share one request. */
import type { ChannelPulse } from "@gateway/shared/channels/channel-run";
import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { useTranslation } from "react-i18next";
import { pulsesQuery } from "#features/channels/runs/runs.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { Sparkline } from "#ui/charts/sparkline.tsx";
import classes from "#features/channels/runs/runs.module.css";

/** Ids of the visible channels, fetched in one request. */
export const PulseIds = createContext<number[]>([]);

/** Returns the last tests of a channel, oldest first. */
export function usePulse(id: number): ChannelPulse["points"] {
  const ids = useContext(PulseIds);
  const { data } = useQuery({
    ...pulsesQuery(ids),
    select: (lines: ChannelPulse[]) => lines.find((line) => line.channel_id === id),
  });
  return data?.points ?? [];
}

export function Pulse({ points }: { points: ChannelPulse["points"] }) {
  const { t } = useTranslation("channels");
  const good = points.filter((point) => point.ok);
  if (good.length < 2) return null;
  const failed = points.length - good.length;
  const mean = good.reduce((sum, point) => sum + point.duration, 0) / good.length;
  const text = t("Last {{count}} tests: {{time}} on average, {{failed}} failed", {
    count: points.length,
    time: formatDuration(Math.round(mean)),
    failed,
  });
  return (
    <span className={classes.spark} role="img" aria-label={text} title={text}>
      <Sparkline
        values={good.map((point) => point.duration)}
        color={failed > 0 ? "var(--mantine-color-amber-text)" : "currentColor"}
        width={48}
        height={20}
      />
    </span>
  );
}
