/** The page of a channel: health, traffic, calls, events and settings. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { Badge, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";
import { useGroupNames } from "#components/group-name.tsx";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { CacheEffectCard } from "#components/usage/cache-effect.tsx";
import {
  HourChart,
  HoursStat,
  UsageChart,
  UsageDetails,
  UsageStats,
} from "#components/usage/object-usage.tsx";
import { RecentCalls } from "#components/usage/recent-calls.tsx";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useMayChange } from "#lib/changes.ts";
import { liveStateOf } from "#lib/channel-hours.ts";
import { joinList } from "#lib/format/join-list.ts";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import { usageQuery } from "#lib/queries/object-usage.ts";
import { useMayEnter } from "#lib/session.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { BackLink, idOf, ObjectPage, type ObjectTab, UnloadedObject } from "#ui/page/object-page.tsx";
import { Section } from "#ui/page/page.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { LastChange } from "#ui/undo.tsx";
import { oneChannelQuery, useProvider } from "./api.ts";
import { Events } from "./list/timeline-drawer.tsx";
import { providerWord } from "./provider-labels.ts";
import { useReason } from "./reason.tsx";
import { TestMenu } from "./runs/test-menu.tsx";
import { liveStates, pauseReason, statusOf } from "./status.ts";
import { undoNameOf, useChannelSwitch } from "./use-channel-switch.ts";

const ChannelEditor = lazyPart(
  () => import("./editor/channel-editor.tsx").then((module) => module.ChannelEditor),
  ({ target }) => target !== "",
);

export default function OneChannelPage() {
  const { t } = useTranslation("channels");
  const id = idOf(useParams()["id"]);
  const channel = useQuery(oneChannelQuery(id));
  return (
    <>
      <BackLink to="/panel/channel" label={t("All channels")} />
      {channel.data ? (
        <ChannelDetails key={id} row={channel.data} />
      ) : (
        <UnloadedObject
          error={channel.error}
          onRetry={() => void channel.refetch()}
          missing={t("This channel was not found")}
          list={{ to: "/panel/channel", label: t("Show all channels") }}
        />
      )}
    </>
  );
}

function ChannelDetails({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const edited = useDrawerParam();
  const mayChange = useMayChange();
  const provider = useProvider(row.type);
  const seesCalls = useMayEnter("logs");
  const usage = useQuery(usageQuery(`/channel/${row.id}`));
  const filter = seesCalls ? { channel_id: row.id } : undefined;
  const live = row.status === ChannelStatus.enabled && usage.data !== undefined;
  const { word, tone } = live ? liveStates[liveStateOf(usage.data)] : statusOf(row.status);
  const edit = () => edited.open(row.id);
  const waiting = (
    <UnloadedObject
      error={usage.error}
      onRetry={() => void usage.refetch()}
      missing={t("This channel was not found")}
      list={{ to: "/panel/channel", label: t("Show all channels") }}
    />
  );
  const tabs: ObjectTab[] = [
    {
      id: "overview",
      label: t("Overview"),
      content: () => (
        <Stack gap="md">
          <LastChange object={undoNameOf(row.id)} />
          <Standing row={row} />
          {usage.data ? (
            <>
              <UsageStats usage={usage.data} first={<HoursStat usage={usage.data} />} />
              <UsageDetails usage={usage.data} filter={filter} />
              <CacheEffectCard path={`/channel/${row.id}`} />
            </>
          ) : (
            waiting
          )}
        </Stack>
      ),
    },
    {
      id: "traffic",
      label: t("Traffic"),
      content: () =>
        usage.data ? (
          <Stack gap="md">
            <HourChart usage={usage.data} filter={filter} />
            <UsageChart usage={usage.data} filter={filter} />
          </Stack>
        ) : (
          waiting
        ),
    },
    ...(filter
      ? [
          {
            id: "logs",
            label: t("Calls"),
            content: () => <RecentCalls title={t("Newest calls")} filter={filter} />,
          },
        ]
      : []),
    {
      id: "activity",
      label: t("Activity"),
      content: () => (
        <Section title={t("Activity")}>
          <Events id={row.id} />
        </Section>
      ),
    },
    { id: "settings", label: t("Settings"), content: () => <Settings row={row} /> },
  ];
  return (
    <>
      <ObjectPage
        title={row.name || `#${row.id}`}
        icon={<ProviderIcon name={provider?.icon ?? ""} size={24} />}
        badges={<StatusDot tone={tone}>{t(word)}</StatusDot>}
        actions={
          <>
            {mayChange ? (
              <TestMenu row={row}>
                <Button variant="default">{t("Test")}</Button>
              </TestMenu>
            ) : null}
            <Button leftSection={<IconPencil size={16} />} onClick={edit}>
              {mayChange ? t("Edit") : t("View details")}
            </Button>
          </>
        }
        tabs={tabs}
      />
      <ChannelEditor target={edited.key} onClose={edited.close} />
    </>
  );
}

/** Whether and why the channel is disabled, and which models are paused until when. Nothing for a healthy channel. */
function Standing({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const reason = useReason(row.status_reason, row.status_facts);
  const mayChange = useMayChange();
  const change = useChannelSwitch(row);
  const isDisabled = row.status !== ChannelStatus.enabled;
  const lines = [
    ...(reason === "" || !isDisabled
      ? []
      : [
          {
            key: "status",
            text: reason,
            hint: row.status_time === null ? "" : formatTime(row.status_time),
          },
        ]),
    ...row.frozen.map(({ model, key, until, reason: cause }) => ({
      key: `${model} ${key}`,
      text: `${model === "*" ? t("All models") : model}${key === "" ? "" : ` (${key})`}: ${t(pauseReason(cause))}`,
      hint:
        cause === "probing"
          ? t("one trial call at a time")
          : t("until {{time}} ({{relative}})", { time: formatTime(until), relative: formatRelative(until) }),
    })),
  ];
  if (lines.length === 0 && !isDisabled) return null;
  return (
    <Section
      title={isDisabled ? t("Disabled") : t("Paused after failures")}
      aside={
        isDisabled && mayChange ? (
          <Button variant="default" size="xs" loading={change.isPending} onClick={() => change.mutate(true)}>
            {t("Enable")}
          </Button>
        ) : null
      }
    >
      <Stack gap={8}>
        {isDisabled ? <Text fz="sm">{t("This channel serves no calls.")}</Text> : null}
        {lines.map(({ key, text, hint }) => (
          <div key={key}>
            <Text fz="sm">{text}</Text>
            <Text fz="xs" c="dimmed">
              {hint}
            </Text>
          </div>
        ))}
      </Stack>
    </Section>
  );
}

const mostModels = 40;

function Settings({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const provider = useProvider(row.type);
  const groupName = useGroupNames();
  return (
    <Section title={t("Settings")}>
      <Stack gap="lg">
        <Facts columns={3}>
          <Fact label={t("Provider")}>
            {provider ? providerWord(t, provider.label) : t("Type {{type}}", { type: row.type })}
          </Fact>
          <Fact label={t("API address")}>{row.base_url || "–"}</Fact>
          <Fact label={t("Keys")}>{row.key_hints.length}</Fact>
          <Fact label={t("Groups")}>{joinList(row.groups.map(groupName))}</Fact>
          <Fact label={t("Priority")}>{row.priority}</Fact>
          <Fact label={t("Weight")}>{row.weight}</Fact>
          <Fact label={t("Tag")}>{row.tag || "–"}</Fact>
        </Facts>
        <div>
          <Text fz="sm" c="dimmed" mb={6}>
            {t("Models")}
          </Text>
          <Group gap={6}>
            {row.models.slice(0, mostModels).map((model) => (
              <Code key={model}>{model}</Code>
            ))}
            {row.models.length > mostModels ? (
              <Badge color="gray">{`+${row.models.length - mostModels}`}</Badge>
            ) : null}
          </Group>
        </div>
      </Stack>
    </Section>
  );
}
