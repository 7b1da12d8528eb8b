/** The channels of a tag, below its row. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { ChannelTag } from "@gateway/shared/channels/channel-batch";
import { ActionIcon, Button, Group, Skeleton, Stack, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { IconTagOff } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { refreshChannels } from "#features/channels/api.ts";
import { leaveTag, tagMembersQuery } from "#features/channels/bulk/batch-api.ts";
import { NameCell, RankCell } from "#features/channels/list/cells.tsx";
import { HealthCell } from "#features/channels/list/health-cell.tsx";
import { PulseIds } from "#features/channels/list/pulse.tsx";
import { ResponseCell } from "#features/channels/list/response-cell.tsx";
import { useMayChange } from "#lib/changes.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { LowerRow } from "#ui/table/table-grid.tsx";
import type { Column } from "#ui/table/table-model.ts";
import classes from "#features/channels/runs/runs.module.css";

type TagMembersProps = {
  tag: string;
  onOpen: (id: number) => void;
  /** The columns of the table; null on a phone. */
  columns: readonly Column<ChannelTag>[] | null;
};

/** Rows of the same table, or cards. */
export function TagMembers({ tag, onOpen, columns }: TagMembersProps) {
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

function Member({ row, onOpen, columns }: Omit<TagMembersProps, "tag"> & { row: ChannelRow }) {
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
