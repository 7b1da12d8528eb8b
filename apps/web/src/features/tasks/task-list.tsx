/** A generic list of asynchronous tasks: filters, rows, and the drawer of a task. */
import type { Page as PageOf } from "@gateway/shared/paging";
import type { Icon } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import type { TaskFilter } from "#lib/address/list-queries.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { NoMatches } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { RowButton } from "#ui/table/row-buttons.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { hasTaskFilter, noNarrowing } from "./task-filters.tsx";
import type { TaskSummary } from "./task-summary.ts";

const TaskDrawer = lazyPart(() => import("./task-drawer.tsx").then((module) => module.TaskDrawer));

type TaskListProps<Row> = {
  id: string;
  title: string;
  description: string;
  /** Icon of the button that opens a row. */
  icon: Icon;
  list: UseQueryResult<PageOf<Row>>;
  /** Returns the provider's id of the task, which is the key in the address. */
  keyOf: (row: Row) => string;
  load: (key: string) => Promise<Row | undefined>;
  query: TaskFilter;
  onQuery: (patch: Partial<TaskFilter>) => void;
  columns: Column<Row>[];
  shown: (row: Row) => TaskSummary;
  /** The result of the task, for the drawer. */
  result: (row: Row) => ReactNode;
  forAdmins: boolean;
  filters: ReactNode;
  /** The empty state of the list. */
  empty: ReactNode;
};

export function TaskList<Row extends { id: number }>(props: TaskListProps<Row>) {
  const { id, title, description, icon, list, query, onQuery, columns, shown, forAdmins } = props;
  const { t } = useTranslation("tasks");
  const opened = useDrawerParam("open");
  return (
    <Page title={title} description={description}>
      <DataTable
        id={forAdmins ? `${id}-admin` : id}
        views={id}
        label={title}
        columns={columns}
        {...pagedList(list, query, onQuery)}
        rowKey={(row) => String(row.id)}
        onOpen={(row) => opened.open(props.keyOf(row))}
        rowActions={(row) => (
          <RowButton label={t("Open")} icon={icon} onClick={() => opened.open(props.keyOf(row))} />
        )}
        tools={<RefreshButton onRefresh={list.refetch} />}
        toolbar={props.filters}
        empty={
          hasTaskFilter(query) ? (
            <NoMatches title={t("No task matches")} onClear={() => onQuery(noNarrowing)} />
          ) : (
            props.empty
          )
        }
      />
      <OpenedRow opened={opened} rows={list.data?.data} keyOf={props.keyOf} load={props.load}>
        {(row) => (
          <TaskDrawer
            task={shown(row)}
            result={props.result(row)}
            forAdmins={forAdmins}
            onClose={opened.close}
          />
        )}
      </OpenedRow>
    </Page>
  );
}
