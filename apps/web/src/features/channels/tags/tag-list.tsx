/** The channels by tag: one row per tag, its channels expand below it. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { ChannelTag } from "@gateway/shared/channels/channel-batch";
import { ActionIcon, Button, Group, Skeleton, Stack, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconTagOff, IconTags } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount, amountColumn } from "#components/amount.tsx";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { refreshChannels, tagsQuery } from "#features/channels/api.ts";
import { leaveTag, rankTag, tagMembersQuery } from "#features/channels/bulk/batch-api.ts";
import { NameCell, RankCell } from "#features/channels/list/cells.tsx";
import { HealthCell } from "#features/channels/list/health-cell.tsx";
import { PulseIds } from "#features/channels/list/pulse.tsx";
import { ResponseCell } from "#features/channels/list/response-cell.tsx";
import { providerWord } from "#features/channels/provider-labels.ts";
import { rankProblem } from "#features/channels/rank-problem.ts";
import { speedOf } from "#features/channels/status.ts";
import { useMayChange } from "#lib/changes.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { joinList } from "#lib/format/join-list.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { Empty } from "#ui/empty.tsx";
import { InlineNumber } from "#ui/form/inline-number.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { LowerRow } from "#ui/table/table-grid.tsx";
import { type Column, inOrder } from "#ui/table/table-model.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { TagActions } from "./tag-actions.tsx";
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
                  <Members tag={row.tag} onOpen={onOpen} columns={null} />
                </div>
              ) : null,
          }
        : {
            below: (row: ChannelTag, shown: readonly Column<ChannelTag>[]) =>
              open.includes(row.tag) ? <Members tag={row.tag} onOpen={onOpen} columns={shown} /> : null,
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

type MembersProps = {
  tag: string;
  onOpen: (id: number) => void;
  /** The columns of the table; null on a phone. */
  columns: readonly Column<ChannelTag>[] | null;
};

/** The channels of a tag: rows of the same table, or cards. */
function Members({ tag, onOpen, columns }: MembersProps) {
  const { t } = useTranslation("channels");
  const list = useQuery(tagMembersQuery(tag));
  const [shown, setShown] = useState(20);
  const whole = (content: ReactNode) =>
    columns === null ? (
      content
    ) : (
      <tr>
        <td colSpan={columns.length + 1}>{content}</td>
      </tr>
    );
  if (list.error)
    return whole(
      <Group p="md">
        <Text c="red" fz="sm">
          {errorReason(list.error, t)}
        </Text>
        <Button variant="default" size="compact-sm" onClick={() => void list.refetch()}>
          {t("Try again")}
        </Button>
      </Group>,
    );
  if (!list.data)
    return whole(
      <Stack gap={8} p="md" aria-busy>
        <Skeleton height={18} width="60%" />
        <Skeleton height={18} width="50%" />
      </Stack>,
    );
  const members = list.data.slice(0, shown);
  return (
    <>
      <PulseIds value={members.map((row) => row.id)}>
        {members.map((row) => (
          <Member key={row.id} row={row} onOpen={onOpen} columns={columns} />
        ))}
      </PulseIds>
      {list.data.length > shown
        ? whole(
            <Button variant="subtle" size="compact-sm" m={8} onClick={() => setShown(shown + 50)}>
              {t("Show more")}
            </Button>,
          )
        : null}
    </>
  );
}

function Member({ row, onOpen, columns }: Omit<MembersProps, "tag"> & { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: () => leaveTag(row.id),
    onSuccess: () => refreshChannels(client),
  });
  const mayChange = useMayChange();
  const out = mayChange ? (
    <Tooltip label={t("Remove from the tag")}>
      <ActionIcon
        aria-label={t("Remove {{name}} from the tag", { name: row.name })}
        loading={leave.isPending}
        onClick={() => leave.mutate()}
      >
        <IconTagOff size={16} />
      </ActionIcon>
    </Tooltip>
  ) : null;
  const name = (
    <UnstyledButton onClick={() => onOpen(row.id)} aria-label={t("Edit {{name}}", { name: row.name })}>
      <NameCell row={row} />
    </UnstyledButton>
  );
  if (columns === null)
    return (
      <div className={classes.member}>
        {name}
        {out}
        <HealthCell row={row} />
        <ResponseCell row={row} />
      </div>
    );
  const cells: Record<string, ReactNode> = {
    tag: name,
    status: <HealthCell row={row} />,
    response: <ResponseCell row={row} />,
    used: <Amount column="used" points={row.used_quota} />,
    priority: <RankCell row={row} field="priority" />,
    weight: <RankCell row={row} field="weight" />,
  };
  return (
    <LowerRow
      id={`#${row.id}`}
      columns={columns}
      cell={(id) => cells[id]}
      actions={out}
      onOpen={() => onOpen(row.id)}
    />
  );
}
