/** Songs, lyrics and videos that were ordered: how they stand, what came of them, what they cost. */
import { TaskQuery, type TaskRow } from "@gateway/shared/task";
import { ActionIcon, Button, Group, Text, Tooltip } from "@mantine/core";
import { IconPlayerPlay, IconRefresh, IconWand } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/list-params.ts";
import { useFormat } from "#lib/quota.ts";
import { useMayEnter } from "#lib/session.ts";
import { DataTable } from "#ui/data-table.tsx";
import { Empty } from "#ui/empty.tsx";
import { FilterSelect } from "#ui/filters.tsx";
import { Page } from "#ui/page.tsx";
import { pagedList } from "#ui/paged-list.ts";
import type { Column } from "#ui/table-model.ts";
import { ModelIcon } from "#ui/vendor-icon.tsx";
import { tasksQuery, type Whose } from "./api.ts";
import { shownTask } from "./shown-task.ts";
import { Short, taskColumns } from "./task-columns.tsx";
import { TaskDrawer } from "./task-drawer.tsx";
import { isNarrowed, noNarrowing, TaskFilters } from "./task-filters.tsx";
import { TaskPreview } from "./task-preview.tsx";
import { actionWord, platformNames, taskActions } from "./task-words.ts";

export default function TasksPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const [query, setQuery] = useListParams(TaskQuery);
  const whose: Whose = useMayEnter("logs") ? "everybody" : "own";
  const tasks = useQuery(tasksQuery(whose, query));
  const rows = tasks.data?.data;
  const [openedId, setOpenedId] = useState<number | null>(null);
  // From the list, so that an open drawer shows how it goes on.
  const opened = rows?.find((row) => row.id === openedId) ?? null;
  const forAdmins = whose === "everybody";
  const columns = useMemo(
    () => [kindColumn(t), ...taskColumns<TaskRow>(t, format, { forAdmins, read: shownTask })],
    [t, format, forAdmins],
  );

  return (
    <Page
      title={t("Tasks")}
      description={t("Songs, lyrics and videos take their vendors a while. What fails is given back.")}
    >
      <DataTable
        id={forAdmins ? "tasks-admin" : "tasks"}
        label={t("Tasks")}
        columns={columns}
        {...pagedList(tasks, query, setQuery)}
        rowKey={(row) => String(row.id)}
        onOpen={(row) => setOpenedId(row.id)}
        rowActions={(row) => (
          <Tooltip label={t("Open")}>
            <ActionIcon size={28} aria-label={t("Open")} onClick={() => setOpenedId(row.id)}>
              <IconPlayerPlay size={15} />
            </ActionIcon>
          </Tooltip>
        )}
        tools={
          <Tooltip label={t("Refresh")}>
            <ActionIcon size={36} aria-label={t("Refresh")} onClick={() => void tasks.refetch()}>
              <IconRefresh size={17} />
            </ActionIcon>
          </Tooltip>
        }
        toolbar={
          <TaskFilters query={query} onChange={setQuery} whose={whose} actions={taskActions}>
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
          isNarrowed(query) ? (
            <Empty
              title={t("No task matches")}
              action={
                <Button variant="default" onClick={() => setQuery(noNarrowing)}>
                  {t("Clear filters")}
                </Button>
              }
            />
          ) : (
            <Empty
              icon={IconWand}
              title={t("No tasks yet")}
              hint={t("Order a song or a video with one of your tokens, and watch it grow here.")}
            />
          )
        }
      />
      <TaskDrawer
        task={opened ? shownTask(opened) : null}
        result={opened ? <TaskPreview row={opened} /> : null}
        forAdmins={forAdmins}
        onClose={() => setOpenedId(null)}
      />
    </Page>
  );
}

function kindColumn(t: TFunction): Column<TaskRow> {
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
