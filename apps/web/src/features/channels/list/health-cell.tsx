/**
 * Health of a channel: switch and status, 24 hours as bars,
 * and the pause, the reason or the last failed call.
 */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import type { ChannelHours } from "@gateway/shared/usage/object-usage";
import { Box, Group, Switch, Text } from "@mantine/core";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useContext } from "react";
import { useTranslation } from "react-i18next";
import { ChannelHoursBar, channelHoursSize } from "#components/usage/channel-hours.tsx";
import { useReason } from "#features/channels/reason.tsx";
import { liveStates, statusOf } from "#features/channels/status.ts";
import { useChannelSwitch } from "#features/channels/use-channel-switch.ts";
import { useMayChange } from "#lib/changes.ts";
import { liveStateOf } from "#lib/channel-hours.ts";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import { asSent, http } from "#lib/http.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { allChannels } from "#lib/queries/channels.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { FrozenBadge } from "./frozen-badge.tsx";
import { PulseIds } from "./pulse.tsx";

/** One request for all visible rows. */
const hoursQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: [...allChannels, "hours", ids],
    queryFn: () => http.get("/channel/health", asSent<ChannelHours>(), { ids: ids.join(",") }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchInterval: 60_000,
    meta: { quiet: true },
  });

function useHours(id: number) {
  const hours = useQuery(hoursQuery(useContext(PulseIds))).data;
  const channel = hours?.channels.find((each) => each.id === id);
  return hours && channel ? { since: hours.since, channel } : undefined;
}

export function HealthCell({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const phone = useIsPhone();
  const mayChange = useMayChange();
  const change = useChannelSwitch(row);
  const hours = useHours(row.id);
  const on = row.status === ChannelStatus.enabled;
  const live = hours === undefined ? "no-calls" : liveStateOf(hours.channel);
  const { word, tone } = on ? liveStates[live] : statusOf(row.status);
  return (
    <Group gap={10} wrap="nowrap" align={phone ? "flex-start" : "center"}>
      <Switch
        size="xs"
        // Level with the status beside it.
        mt={phone ? 2 : 0}
        aria-label={t("Enable {{name}}", { name: row.name })}
        checked={on}
        disabled={!mayChange || change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Box miw={0}>
        <Group gap={6} wrap="nowrap" maw="calc(166px + var(--spare))">
          {on && row.frozen.length > 0 ? (
            <FrozenBadge frozen={row.frozen} />
          ) : (
            <StatusDot tone={tone}>{t(word)}</StatusDot>
          )}
          {phone ? null : <Trouble row={row} failed={hours?.channel.last_failed ?? null} />}
        </Group>
        {!on ? null : hours ? (
          <ChannelHoursBar channel={hours.channel} since={hours.since} />
        ) : (
          <Box {...channelHoursSize} mah="var(--bars-height, none)" />
        )}
      </Box>
    </Group>
  );
}

type TroubleProps = {
  row: ChannelRow;
  failed: ChannelHours["channels"][number]["last_failed"];
};

/** One short line. The page and the timeline of the channel have the full text. */
function Trouble({ row, failed }: TroubleProps) {
  const { t } = useTranslation("channels");
  const reason = useReason(row.status_reason, row.status_facts);
  const on = row.status === ChannelStatus.enabled;
  if (!on && row.status_reason === "") return null;
  if (on && failed === null) return null;
  const label = failed === null ? undefined : failureLabel(failed.code);
  const text = on ? (label === undefined ? (failed?.code ?? "") : t(label)) : reason;
  const time = on ? (failed?.time ?? null) : row.status_time;
  return (
    <Text
      c="dimmed"
      fz="xs"
      truncate
      title={[
        on ? `${t("Last failed call")}: ${text}` : text,
        ...(time === null ? [] : [`${formatTime(time)} (${formatRelative(time)})`]),
      ].join("\n")}
    >
      {text}
    </Text>
  );
}
