/** Columns shared by both lists of tasks. */
import { Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { formatDuration } from "#lib/format/quota.ts";
import { CopyCode } from "#ui/copy.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { TaskCost, TaskState } from "./task-state.tsx";
import type { TaskSummary } from "./task-summary.ts";

export function taskColumns<Row>(
  t: TFunction<"tasks">,
  { forAdmins, read }: { forAdmins: boolean; read: (row: Row) => TaskSummary },
): Column<Row>[] {
  const dash = (
    <Text span c="dimmed" fz="inherit">
      –
    </Text>
  );
  const columns: (Column<Row> | false)[] = [
    {
      id: "status",
      title: t("Status"),
      sortable: true,
      width: 130,
      card: "fact",
      cell: (row) => <TaskState task={read(row)} />,
    },
    {
      id: "submit_time",
      title: t("Submitted"),
      sortable: true,
      cell: (row) => (
        <span style={{ whiteSpace: "nowrap" }}>
          <RelativeTime inList seconds={read(row).submitted} />
        </span>
      ),
    },
    {
      id: "finish_time",
      title: t("Duration"),
      secondary: forAdmins,
      sortable: true,
      align: "right",
      cell: (row) => {
        const { finished, submitted } = read(row);
        return finished === null ? dash : formatDuration(Math.max(0, finished - submitted) * 1_000);
      },
    },
    forAdmins && {
      id: "user_id",
      title: t("Username"),
      sortable: true,
      cell: (row) => <Short text={read(row).username} width={120} />,
    },
    forAdmins && {
      id: "channel_id",
      title: t("Channel"),
      secondary: true,
      sortable: true,
      card: "none",
      cell: (row) => {
        const { channel_id, channel_name } = read(row);
        return <Short text={channel_name || `#${channel_id}`} width={120} />;
      },
    },
    {
      id: "cost",
      title: t("Cost"),
      align: "right",
      card: "fact",
      amounts: (row) => [read(row).quota],
      charges: true,
      cell: (row) => <TaskCost task={read(row)} column="cost" />,
    },
    {
      id: "fail_reason",
      title: t("Reason for the failure"),
      // An administrator's narrow list has no space for it; the task's details show it.
      secondary: forAdmins,
      card: "none",
      cell: (row) => {
        const reason = read(row).fail_reason;
        return reason === "" ? dash : <Short text={reason} width={forAdmins ? 130 : 200} />;
      },
    },
    {
      id: "model",
      title: t("Model"),
      hidden: true,
      card: "none",
      cell: (row) => <Short text={read(row).model} width={170} />,
    },
    {
      id: "task_id",
      title: t("Task ID"),
      hidden: true,
      card: "none",
      cell: (row) => (
        <CopyCode
          text={read(row).taskId}
          label={t("Task ID")}
          shown={`${read(row).taskId.slice(0, 8)}…${read(row).taskId.slice(-4)}`}
        />
      ),
    },
  ];
  return columns.filter((column) => column !== false);
}
