/** Events of a channel, newest first: who switched it, or why it was disabled automatically. */
import type { ChannelEventRow } from "@gateway/shared/channels/channel";
import { lookupTable } from "@gateway/shared/lookup-table";
import { Button, Code, Skeleton, Stack, Text, ThemeIcon, Timeline } from "@mantine/core";
import {
  IconCirclePlus,
  IconHeartbeat,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPower,
  IconTrash,
  type Icon,
} from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { eventsQuery } from "#features/channels/api.ts";
import { Reason } from "#features/channels/reason.tsx";
import { joinList } from "#lib/format/join-list.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { fieldNameOf } from "#lib/labels/channel-fields.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

const phrase = phrasesIn("channels");

type TimelineDrawerProps = { id: number; name: string; onClose: () => void };

export function TimelineDrawer({ id, name, onClose }: TimelineDrawerProps) {
  const { t } = useTranslation("channels");
  return (
    <SideDrawer onClose={onClose} width={520} title={t("Timeline of {{name}}", { name })}>
      <Events id={id} />
    </SideDrawer>
  );
}

export function Events({ id }: { id: number }) {
  const { t } = useTranslation("channels");
  const events = useInfiniteQuery({ ...eventsQuery(id), staleTime: 0 });
  if (!events.data)
    return (
      <QueryFallback query={events}>
        <Stack gap="lg" aria-busy>
          {[0, 1, 2, 3].map((line) => (
            <Skeleton key={line} height={44} />
          ))}
        </Stack>
      </QueryFallback>
    );
  const rows = events.data.pages.flatMap((page) => page.data);
  if (rows.length === 0)
    return <Empty title={t("No activity yet")} hint={t("Status changes and their reasons appear here.")} />;
  return (
    <Stack gap="lg">
      <Timeline bulletSize={28} lineWidth={1}>
        {rows.map((row) => {
          const { icon: Picture, color } = looksOf(row.kind);
          return (
            <Timeline.Item
              key={row.id}
              bullet={
                <ThemeIcon size={28} radius="xl" variant="light" color={color}>
                  <Picture size={15} stroke={1.8} />
                </ThemeIcon>
              }
              title={
                <Text fw={500} fz="sm">
                  <EventTitle row={row} />
                </Text>
              }
            >
              <EventFacts row={row} />
            </Timeline.Item>
          );
        })}
      </Timeline>
      {events.hasNextPage ? (
        <Button
          variant="default"
          loading={events.isFetchingNextPage}
          onClick={() => void events.fetchNextPage()}
        >
          {t("Load more")}
        </Button>
      ) : null}
    </Stack>
  );
}

function EventTitle({ row }: { row: ChannelEventRow }) {
  const { t } = useTranslation("channels");
  const about = row.model || row.key;
  return (
    <>
      {t(labels[row.kind] ?? row.kind)}
      {about ? (
        <>
          {" "}
          <Code>{about}</Code>
        </>
      ) : null}
    </>
  );
}

function EventFacts({ row }: { row: ChannelEventRow }) {
  const { t } = useTranslation("channels");
  return (
    <>
      {row.fields.length > 0 ? (
        <Text fz="sm">{joinList(row.fields.map((field) => t(fieldNameOf(field))))}</Text>
      ) : null}
      {row.reason ? (
        <Text fz="sm">
          <Reason text={row.reason} facts={row.reason_facts} />
        </Text>
      ) : null}
      <Text c="dimmed" fz="xs" mt={2}>
        <RelativeTime inList seconds={row.created_time} /> · {row.username ?? t("Gateway (automatic)")}
      </Text>
    </>
  );
}

const labels = lookupTable<string>({
  created: phrase("Channel created"),
  changed: phrase("Channel changed"),
  enabled: phrase("Enabled"),
  disabled: phrase("Disabled"),
  deleted: phrase("Channel deleted"),
  "auto-disabled": phrase("Disabled automatically"),
  "auto-enabled": phrase("Enabled automatically"),
  "key-auto-disabled": phrase("Key disabled automatically"),
  "key-auto-enabled": phrase("Key enabled automatically"),
  "key-enabled": phrase("Key enabled"),
  "key-disabled": phrase("Key disabled"),
  "key-changed": phrase("Key weight changed"),
  "key-removed": phrase("Key removed"),
  "key-unavailable": phrase("Key cannot be read"),
  "key-available": phrase("Key can be read again"),
  "circuit-opened": phrase("Model paused"),
  "circuit-closed": phrase("Model resumed"),
});

function looksOf(kind: string): { icon: Icon; color: string } {
  const good = kind.endsWith("enabled") || kind === "circuit-closed" || kind === "key-available";
  const bad = kind.includes("auto-disabled") || kind === "circuit-opened" || kind === "key-unavailable";
  const color = good ? "green" : bad ? "red" : "gray";
  if (kind.startsWith("key-")) return { icon: IconKey, color };
  switch (kind) {
    case "created":
      return { icon: IconCirclePlus, color };
    case "changed":
      return { icon: IconPencil, color };
    case "deleted":
      return { icon: IconTrash, color };
    case "circuit-opened":
      return { icon: IconPlayerPause, color };
    case "circuit-closed":
      return { icon: IconHeartbeat, color };
    default:
      return { icon: IconPower, color };
  }
}
