/** The channels by tag: one row per tag, its channels expand below it. */
import type { ChannelTag } from "@gateway/shared/channels/channel-batch";
import { Group, Stack, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconTags } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { amountColumn } from "#components/amount.tsx";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { refreshChannels, tagsQuery } from "#features/channels/api.ts";
import { rankTag } from "#features/channels/bulk/batch-api.ts";
import { providerWord } from "#features/channels/provider-labels.ts";
import { rankProblem } from "#features/channels/rank-problem.ts";
import { speedOf } from "#features/channels/status.ts";
import { joinList } from "#lib/format/join-list.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { Empty } from "#ui/empty.tsx";
import { InlineNumber } from "#ui/form/inline-number.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { type Column, inOrder } from "#ui/table/table-model.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { TagActions } from "./tag-actions.tsx";
import { TagMembers } from "./tag-members.tsx";
import classes from "#features/channels/runs/runs.module.css";

type TagListProps = {
  onTest: (tag: string) => void;
  onEdit: (tag: string) => void;
  /** Opens one channel. */
  onOpen: (id: number) => void;
};

export function TagList({ onTest, onEdit, onOpen }: TagListProps) {
  const { t } = useTranslation("channels");
  const phone = useIsPhone();
  const list = useQuery(tagsQuery);
  const [open, setOpen] = useState<string[]>([]);
  const [order, setOrder] = useState("");
  const toggle = (tag: string) => setOpen((tags) => without(tags, tag) ?? [...tags, tag]);
  // The same array until its content changes: a cell with a new function would lose its focus.
  const columns = useMemo<Column<ChannelTag>[]>(
    () => [
      {
        id: "tag",
        title: t("Tag"),
        fixed: true,
        sortable: true,
        sortValue: (row) => row.tag,
        width: 200,
        cell: (row) => (
          <TagName
            row={row}
            open={open.includes(row.tag)}
            onToggle={() => setOpen((tags) => without(tags, row.tag) ?? [...tags, row.tag])}
          />
        ),
      },
      { id: "providers", title: t("Providers"), cell: (row) => <ProviderServices types={row.types} /> },
      {
        id: "status",
        title: t("Status"),
        card: "fact",
        sortable: true,
        sortValue: (row) => row.enabled / Math.max(1, row.total),
        cell: (row) => <MixedStatus row={row} />,
      },
      {
        id: "response",
        secondary: true,
        title: t("Response"),
        card: "fact",
        sortable: true,
        sortValue: (row) => row.response_time,
        cell: (row) => (
          <Text span fz="sm" c={speedOf(row.response_time).color} fw={500}>
            {row.response_time > 0 ? formatDuration(row.response_time) : t("Not tested")}
          </Text>
        ),
      },
      amountColumn(
        { id: "used", title: t("Used"), sortable: true, sortValue: (row) => row.used_quota },
        (row) => row.used_quota,
      ),
      {
        id: "priority",
        title: t("Priority"),
        align: "right",
        sortable: true,
        sortValue: (row) => row.priority.max,
        width: 130,
        cell: (row) => <TagRank row={row} field="priority" />,
      },
      {
        id: "weight",
        title: t("Weight"),
        secondary: true,
        align: "right",
        sortable: true,
        sortValue: (row) => row.weight.max,
        width: 130,
        cell: (row) => <TagRank row={row} field="weight" />,
      },
    ],
    [t, open],
  );
  const rows = useMemo(() => list.data && inOrder(list.data, columns, order), [list.data, columns, order]);
  return (
    <DataTable
      id="channel-tags"
      label={t("Tags")}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.tag}
      error={list.error}
      onRetry={() => void list.refetch()}
      paging={{ kind: "none" }}
      order={order}
      onOrder={setOrder}
      onOpen={(row) => toggle(row.tag)}
      rowActions={(row) => (
        <TagActions tag={row} onTest={() => onTest(row.tag)} onEdit={() => onEdit(row.tag)} />
      )}
      {...(phone
        ? {
            detail: (row: ChannelTag) =>
              open.includes(row.tag) ? (
                <div className={classes.detail}>
                  <TagMembers tag={row.tag} onOpen={onOpen} columns={null} />
                </div>
              ) : null,
          }
        : {
            below: (row: ChannelTag, shown: readonly Column<ChannelTag>[]) =>
              open.includes(row.tag) ? <TagMembers tag={row.tag} onOpen={onOpen} columns={shown} /> : null,
          })}
      toolbar={
        <Text c="dimmed" fz="sm">
          {t("Give channels the same tag to edit, prioritize, enable and disable them together.")}
        </Text>
      }
      empty={<Empty icon={IconTags} title={t("No tags yet")} />}
    />
  );
}

/** Returns the tags without `tag`; undefined when it is not among them. */
function without(tags: string[], tag: string): string[] | undefined {
  return tags.includes(tag) ? tags.filter((each) => each !== tag) : undefined;
}

function TagName({ row, open, onToggle }: { row: ChannelTag; open: boolean; onToggle: () => void }) {
  const { t } = useTranslation("channels");
  const Arrow = open ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton
      onClick={onToggle}
      aria-expanded={open}
      aria-label={t("Channels of {{tag}}", { tag: row.tag })}
    >
      <Group gap={8} wrap="nowrap">
        <Arrow size={15} />
        <div>
          <Short strong text={row.tag} width={200} />
          <Text c="dimmed" fz="xs">
            {t("{{count}} channels", { count: row.total })}
          </Text>
        </div>
      </Group>
    </UnstyledButton>
  );
}

const mostIcons = 5;

function ProviderServices({ types }: { types: number[] }) {
  const { t } = useTranslation("channels");
  const providers = useQuery(providersQuery).data ?? [];
  const tagProviders = types.map((type) => providers.find((provider) => provider.type === type));
  return (
    <Tooltip
      label={joinList(tagProviders.map((provider) => (provider ? providerWord(t, provider.label) : "?")))}
    >
      <Group gap={6} wrap="nowrap" w="fit-content" tabIndex={0}>
        {tagProviders.slice(0, mostIcons).map((provider, index) => (
          <ProviderIcon key={provider?.type ?? `unknown ${index}`} name={provider?.icon ?? ""} size={16} />
        ))}
        {types.length > mostIcons ? (
          <Text fz="xs" c="dimmed">
            +{types.length - mostIcons}
          </Text>
        ) : null}
      </Group>
    </Tooltip>
  );
}

/** Numbers of enabled, disabled and automatically disabled channels of a tag. */
function MixedStatus({ row }: { row: ChannelTag }) {
  const { t } = useTranslation("channels");
  return (
    <Group gap={10} wrap="nowrap">
      {row.enabled > 0 ? (
        <StatusDot tone="good">{t("{{count}} enabled", { count: row.enabled })}</StatusDot>
      ) : null}
      {row.disabled > 0 ? (
        <StatusDot tone="idle">{t("{{count}} disabled", { count: row.disabled })}</StatusDot>
      ) : null}
      {row.auto_disabled > 0 ? (
        <StatusDot tone="bad">{t("{{count}} auto-disabled", { count: row.auto_disabled })}</StatusDot>
      ) : null}
    </Group>
  );
}

function TagRank({ row, field }: { row: ChannelTag; field: "priority" | "weight" }) {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const { min, max } = row[field];
  const rank = useMutation({
    mutationFn: (value: number) => rankTag(row.tag, field, value),
    onSuccess: () => refreshChannels(client),
  });
  return (
    <Stack gap={0} align="flex-end">
      <InlineNumber
        label={`${field === "priority" ? t("Priority") : t("Weight")}: ${row.tag}`}
        value={max}
        check={(value) => rankProblem(t, { [field]: value })}
        width={50}
        onSave={(value) => rank.mutateAsync(value)}
      />
      {min === max ? null : (
        <Tooltip label={t("Mixed: {{min}} to {{max}}", { min, max })}>
          <Text fz="xs" c="amber" tabIndex={0}>
            {min}–{max}
          </Text>
        </Tooltip>
      )}
    </Stack>
  );
}
