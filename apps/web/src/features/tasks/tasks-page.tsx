/** Song, lyrics and video tasks: status, result and cost. */
import type { TaskRow } from "@gateway/shared/channels/task";
import { Group, Text } from "@mantine/core";
import { IconPlayerPlay, IconWand } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { useListParams } from "#lib/address/list-params.ts";
import { taskParams } from "#lib/address/list-queries.ts";
import { useMayEnter } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { Short } from "#ui/short.tsx";
import { FilterSelect } from "#ui/table/filters.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { fetchTask, keyOfTask, tasksQuery, type TaskScope } from "./api.ts";
import { taskColumns } from "./task-columns.tsx";
import { TaskFilters } from "./task-filters.tsx";
import { actionWord, platformNames, taskActions } from "./task-labels.ts";
import { TaskList } from "./task-list.tsx";
import { TaskPreview } from "./task-preview.tsx";
import { summarizeTask } from "./task-summary.ts";

export default function TasksPage() {
  const { t } = useTranslation("tasks");
  const [query, setQuery] = useListParams(taskParams);
  const scope: TaskScope = useMayEnter("logs") ? "everybody" : "own";
  const forAdmins = scope === "everybody";
  const columns = useMemo(
    () => [kindColumn(t), ...taskColumns<TaskRow>(t, { forAdmins, read: summarizeTask })],
    [t, forAdmins],
  );
  return (
    <TaskList
      id="tasks"
      title={t("Tasks")}
      description={t("Tasks for songs, lyrics and videos run in the background. Failed tasks are refunded.")}
      icon={IconPlayerPlay}
      list={useQuery(tasksQuery(scope, query))}
      keyOf={keyOfTask}
      load={(key) => fetchTask(scope, key)}
      query={query}
      onQuery={setQuery}
      columns={columns}
      shown={summarizeTask}
      result={(row) => <TaskPreview row={row} />}
      forAdmins={forAdmins}
      filters={
        <TaskFilters query={query} onChange={setQuery} scope={scope} actions={taskActions}>
          <FilterSelect
            label={t("Platform")}
            value={query.platform}
            onChange={(platform) =>
              setQuery({ platform: platform === "suno" || platform === "kling" ? platform : "" })
            }
            data={[
              { value: "suno", label: platformNames.suno },
              { value: "kling", label: platformNames.kling },
            ]}
          />
        </TaskFilters>
      }
      empty={
        <Empty
          icon={IconWand}
          title={t("No tasks yet")}
          hint={t("Create a song or a video with one of your tokens. You can follow its progress here.")}
        />
      }
    />
  );
}

function kindColumn(t: TFunction<"tasks">): Column<TaskRow> {
  return {
    id: "action",
    title: t("Task"),
    fixed: true,
    sortable: true,
    card: "title",
    width: 260,
    cell: (row) => (
      <Group gap={10} wrap="nowrap" miw={0}>
        <ModelIcon model={row.model} size={20} />
        <div style={{ minWidth: 0 }}>
          <Text fw={500} fz="sm">
            {t(actionWord(row.action))}
            <Text span c="dimmed" fz="xs" ml={6} fw={400}>
              {platformNames[row.platform]}
            </Text>
          </Text>
          <Text component="div" fz="xs" c="dimmed" fw={400}>
            <Short text={row.prompt || row.task_id} width={230} />
          </Text>
        </div>
      </Group>
    ),
  };
}
