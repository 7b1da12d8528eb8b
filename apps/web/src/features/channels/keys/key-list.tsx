/**
 * The stored keys of a channel: hint, state, weight, a switch and a delete button. Changes apply immediately.
 */
import type { ChannelKeyRow } from "@gateway/shared/channels/channel";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import {
  ActionIcon,
  Box,
  Code,
  Group,
  ScrollArea,
  Skeleton,
  Stack,
  Switch,
  Text,
  Tooltip,
} from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { keysQuery, useKeyChanges } from "#features/channels/api.ts";
import { rankProblem } from "#features/channels/rank-problem.ts";
import { Reason } from "#features/channels/reason.tsx";
import { pauseReason, statusOf } from "#features/channels/status.ts";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import { confirm } from "#ui/confirm.tsx";
import { LoadError } from "#ui/empty.tsx";
import { InlineNumber } from "#ui/form/inline-number.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import classes from "./keys.module.css";

/** Maximum height in pixels; more keys scroll. */
const tallest = 296;

export function KeyList({ id }: { id: number }) {
  const { t } = useTranslation("channels");
  const keys = useQuery({ ...keysQuery(id) });
  if (keys.error) return <LoadError error={keys.error} onRetry={() => void keys.refetch()} />;
  if (!keys.data) return <Skeleton height={44} />;
  if (keys.data.length === 0) return null;
  const inUse = keys.data.filter((key) => key.status === ChannelStatus.enabled).length;
  return (
    <Stack gap={6}>
      <Text fw={600} fz="sm">
        {t("API keys")}
      </Text>
      <Group justify="space-between" wrap="nowrap" align="flex-end">
        <Text c="dimmed" fz="xs">
          {t("{{used}} of {{count}} keys in use. Changes here take effect immediately.", {
            used: inUse,
            count: keys.data.length,
          })}
        </Text>
        {keys.data.length > 1 ? (
          <Text c="dimmed" fz="xs" className={classes.weight}>
            {t("Weight")}
          </Text>
        ) : null}
      </Group>
      <ScrollArea.Autosize mah={tallest} type="auto" scrollbarSize={8} className={classes.list}>
        {keys.data.map((key) => (
          <KeyLine
            key={key.id}
            channel={id}
            row={key}
            only={keys.data.length === 1}
            last={key.status === ChannelStatus.enabled && inUse === 1}
          />
        ))}
      </ScrollArea.Autosize>
    </Stack>
  );
}

type KeyLineProps = {
  channel: number;
  row: ChannelKeyRow;
  /** The channel has no other key. */
  only: boolean;
  /** No other key is enabled. */
  last: boolean;
};

function KeyLine({ channel, row, only, last }: KeyLineProps) {
  const { t } = useTranslation("channels");
  const { patch, remove } = useKeyChanges(channel);
  const askAndRemove = async () => {
    const sure = await confirm({
      title: t("Remove the key {{key}}?", { key: row.hint }),
      body: t("The key is deleted and cannot be restored."),
      action: t("Remove"),
    });
    if (sure) remove.mutate(row.id);
  };
  const why = t("The last enabled key cannot be disabled. Disable the channel instead.");
  return (
    <Group className={classes.line} gap="xs" wrap="nowrap">
      <Tooltip label={why} disabled={!last}>
        <Box tabIndex={last ? 0 : undefined}>
          <Switch
            size="xs"
            aria-label={t("Use the key {{key}}", { key: row.hint })}
            checked={row.status === ChannelStatus.enabled}
            disabled={last || patch.isPending}
            onChange={(event) =>
              patch.mutate({
                key: row.id,
                change: {
                  status: event.currentTarget.checked ? ChannelStatus.enabled : ChannelStatus.disabled,
                },
              })
            }
          />
        </Box>
      </Tooltip>
      <Box flex={1} miw={0}>
        <Group gap="0 10px">
          <Code className={classes.hint}>{row.hint}</Code>
          <KeyState row={row} />
        </Group>
        {row.fault === "" ? null : (
          <Text c="red" fz="xs" mt={2}>
            {t("The key cannot be read: {{fault}}.", { fault: row.fault })}
          </Text>
        )}
        {row.status_reason ? (
          <Text c="dimmed" fz="xs" mt={2}>
            <Reason text={row.status_reason} facts={row.status_facts} />
            {row.status_time === null ? "" : ` · ${formatTime(row.status_time)}`}
          </Text>
        ) : null}
      </Box>
      {only ? null : (
        <InlineNumber
          label={`${t("Weight")}: ${row.hint}`}
          value={row.weight}
          width={54}
          check={(value) => rankProblem(t, { weight: value })}
          onSave={(weight) => patch.mutateAsync({ key: row.id, change: { weight } })}
        />
      )}
      <Tooltip label={last ? why : t("Remove")}>
        <ActionIcon
          aria-label={t("Remove the key {{key}}", { key: row.hint })}
          disabled={only && !last}
          data-disabled={last || undefined}
          aria-disabled={last || undefined}
          loading={remove.isPending}
          onClick={() => last || void askAndRemove()}
        >
          <IconTrash size={16} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function KeyState({ row }: { row: ChannelKeyRow }) {
  const { t } = useTranslation("channels");
  const { word, tone } = statusOf(row.status);
  const [pause] = row.frozen;
  if (row.status === ChannelStatus.enabled && pause !== undefined)
    return (
      <Tooltip label={`${t(pauseReason(pause.reason))} · ${formatRelative(pause.until)}`}>
        <Text span fz="xs" tabIndex={0}>
          <StatusDot tone="warn">{t("Paused")}</StatusDot>
        </Text>
      </Tooltip>
    );
  if (row.status === ChannelStatus.enabled && row.fault !== "")
    return (
      <Text span fz="xs">
        <StatusDot tone="warn">{t("Key cannot be read")}</StatusDot>
      </Text>
    );
  return (
    <Text span fz="xs">
      <StatusDot tone={tone}>{row.status === ChannelStatus.enabled ? t("In use") : t(word)}</StatusDot>
    </Text>
  );
}
