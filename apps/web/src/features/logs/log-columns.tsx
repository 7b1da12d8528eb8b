import { type LogRow, LogType } from "@gateway/shared/usage/log";
import { Group, Text, Tooltip } from "@mantine/core";
import { IconBolt, IconWaveSine } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { ModelIcon } from "#components/provider-icon.tsx";
import type { useFormat } from "#lib/quota.ts";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { CostCell } from "./cost-cell.tsx";
import { DurationCell } from "./duration-cell.tsx";
import { GroupName } from "./group-name.tsx";
import { InputCell } from "./input-cell.tsx";
import { contentText, isCall, outcomeWord, typeText } from "./log-labels.ts";
import { TimeCell } from "./time-cell.tsx";

type Format = ReturnType<typeof useFormat>;

/** @param forAdmins with whose call it was and which channel took it */
export function logColumns(t: TFunction, format: Format, forAdmins: boolean): Column<LogRow>[] {
  const dash = (
    <Text span c="dimmed" fz="inherit">
      –
    </Text>
  );
  const columns: (Column<LogRow> | false)[] = [
    {
      id: "created_at",
      sortable: true,
      title: t("Time"),
      fixed: true,
      card: "fact",
      cell: (row) => <TimeCell seconds={row.created_at} />,
    },
    forAdmins && {
      id: "channel_id",
      sortable: true,
      title: t("Channel"),
      card: "none",
      cell: (row) => (row.channel_id === 0 ? dash : <ChannelName row={row} t={t} />),
    },
    forAdmins && {
      id: "username",
      sortable: true,
      title: t("Username"),
      cell: (row) => <Short text={row.username} width={110} />,
    },
    {
      id: "group",
      title: t("Group"),
      card: "none",
      hidden: forAdmins,
      cell: (row) => (row.group ? <GroupName row={row} /> : dash),
    },
    {
      id: "token_name",
      sortable: true,
      title: t("Token"),
      cell: (row) => (row.token_name ? <Short text={row.token_name} width={130} /> : dash),
    },
    {
      id: "type",
      title: t("Type"),
      sortable: true,
      hidden: true,
      card: "none",
      cell: (row) => t(typeText(row.type)),
    },
    {
      id: "model_name",
      sortable: true,
      title: t("Model"),
      card: "title",
      width: 150,
      cell: (row) => <ModelCell row={row} t={t} />,
    },
    {
      id: "request_time",
      sortable: true,
      title: t("Duration"),
      width: 110,
      cell: (row) => (isCall(row) ? <DurationCell row={row} /> : dash),
    },
    {
      id: "prompt_tokens",
      sortable: true,
      title: t("Input"),
      align: "right",
      cell: (row) => (row.type === LogType.consume ? <InputCell row={row} /> : dash),
    },
    {
      id: "completion_tokens",
      sortable: true,
      title: t("Output"),
      align: "right",
      cell: (row) => (row.type === LogType.consume ? format.whole(row.completion_tokens) : dash),
    },
    {
      id: "quota",
      sortable: true,
      title: t("Cost"),
      align: "right",
      card: "fact",
      cell: (row) => <CostCell row={row} format={format} />,
    },
    {
      id: "source_ip",
      sortable: true,
      title: t("Source IP"),
      hidden: true,
      card: "none",
      cell: (row) =>
        row.source_ip ? (
          <Text span ff="monospace" fz="xs">
            {row.source_ip}
          </Text>
        ) : (
          dash
        ),
    },
    {
      id: "outcome",
      title: t("Outcome"),
      card: "title",
      cell: (row) => {
        const { tone, text } = outcomeWord(row);
        return (
          <Group gap={6} wrap="nowrap" fz="sm" fw={400}>
            <StatusDot tone={tone}>{t(text)}</StatusDot>
            {row.type === LogType.failed && row.status > 0 ? (
              <Text span c="dimmed" fz="xs" className="tabular">
                {row.status}
              </Text>
            ) : null}
          </Group>
        );
      },
    },
  ];
  return columns.filter((column) => column !== false);
}

function ChannelName({ row, t }: { row: LogRow; t: TFunction }) {
  return (
    <Tooltip label={`#${row.channel_id} ${row.channel_name}`}>
      <Text span fz="inherit" truncate maw={110} display="block">
        {row.channel_name || t("Deleted channel")}
      </Text>
    </Tooltip>
  );
}

function ModelCell({ row, t }: { row: LogRow; t: TFunction }) {
  // A call for a model no one knows has none; its sentence says which one it was.
  if (!isCall(row) || row.model_name === "")
    return (
      <Text span fz="inherit" truncate maw={170} display="block" title={contentText(t, row)} fw={400}>
        {contentText(t, row) || "–"}
      </Text>
    );
  const mapped = row.upstream_model !== "" && row.upstream_model !== row.model_name;
  return (
    <Group gap={7} wrap="nowrap">
      <ModelIcon model={row.model_name} size={16} />
      <Tooltip
        label={t("Forwarded as {{model}}", { model: row.upstream_model })}
        disabled={!mapped}
        openDelay={100}
      >
        <Text
          span
          fz="inherit"
          fw={500}
          truncate
          maw={180}
          title={mapped ? undefined : row.model_name}
          td={mapped ? "underline dotted" : undefined}
          style={{ textUnderlineOffset: 3 }}
        >
          {row.model_name}
        </Text>
      </Tooltip>
      {row.cache_hit ? (
        <Tooltip label={t("From the cache: no channel was called")}>
          <Text span lh={0} c="dimmed" role="img" aria-label={t("From the cache")}>
            <IconBolt size={15} stroke={1.8} />
          </Text>
        </Tooltip>
      ) : null}
      {row.is_stream ? (
        <Tooltip label={t("Stream")}>
          <Text span lh={0} c="dimmed" role="img" aria-label={t("Stream")}>
            <IconWaveSine size={15} stroke={1.8} />
          </Text>
        </Tooltip>
      ) : null}
    </Group>
  );
}
