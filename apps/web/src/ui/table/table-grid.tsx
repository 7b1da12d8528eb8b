/** The table as a table: sticky header and first column, order by header, actions on hover. */
import { Checkbox, Skeleton, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import type { ReactTable } from "@tanstack/react-table";
import { Fragment, type MouseEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type Column, type Features, nextOrder, type Selection } from "./table-model.ts";
import classes from "./data-table.module.css";

export type TableView<Row extends object> = {
  table: ReactTable<Features, Row>;
  label: string;
  columns: Column<Row>[];
  loading: boolean;
  fetching?: boolean;
  order?: string;
  onOrder?: (order: string) => void;
  selection?: Selection;
  rowActions?: (row: Row) => ReactNode;
  /** What unfolds below a row; null while it is folded. */
  detail?: (row: Row) => ReactNode;
  onOpen?: (row: Row) => void;
};

/** True when the event belongs to a control inside the row, not to the row. */
export function isOnControl(event: MouseEvent<HTMLElement>): boolean {
  if (!(event.target instanceof Element)) return false;
  // A popover or dialog opened from the row sits elsewhere on the page; React lets its events pass through here.
  if (!event.currentTarget.contains(event.target)) return true;
  const control = event.target.closest(
    "a, button, input, label, select, textarea, [role=menuitem], [role=switch]",
  );
  return control !== null && control !== event.currentTarget;
}

export function TableGrid<Row extends object>(view: TableView<Row>) {
  const { table, columns, loading, fetching, order = "", onOrder, selection, rowActions, onOpen } = view;
  const { t } = useTranslation();
  const byId = new Map(columns.map((column) => [column.id, column]));
  const shown = table.getVisibleLeafColumns();
  const rows = table.getRowModel().rows;

  const heading = (column: Column<Row>) => {
    if (!column.sortable || !onOrder) return column.title;
    const Arrow =
      order === column.id ? IconArrowUp : order === `-${column.id}` ? IconArrowDown : IconArrowsSort;
    const idle = Arrow === IconArrowsSort;
    return (
      <UnstyledButton
        className={classes.sort}
        data-idle={idle || undefined}
        onClick={() => onOrder(nextOrder(order, column.id))}
      >
        {column.title}
        <Arrow size={13} />
      </UnstyledButton>
    );
  };
  const ariaSort = (id: string) =>
    order === id ? "ascending" : order === `-${id}` ? "descending" : undefined;

  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={view.label}>
      <table className={classes.table} aria-busy={loading || fetching || undefined}>
        <thead>
          <tr>
            {selection ? (
              <th className={classes.check}>
                <Checkbox
                  size="xs"
                  aria-label={t("Select all rows")}
                  checked={table.getIsAllRowsSelected() && rows.length > 0}
                  indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
                  onChange={(event) => table.toggleAllRowsSelected(event.currentTarget.checked)}
                />
              </th>
            ) : null}
            {shown.map(({ id }) => {
              const column = byId.get(id);
              return column ? (
                <th
                  key={id}
                  scope="col"
                  data-align={column.align}
                  style={{ minWidth: column.width }}
                  aria-sort={ariaSort(id)}
                >
                  {heading(column)}
                </th>
              ) : null;
            })}
            {rowActions ? (
              <th className={classes.actions}>
                <span className={classes.hiddenText}>{t("Actions")}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody data-fetching={(fetching && !loading) || undefined}>
          {loading
            ? skeletonRows.map((row) => (
                <tr key={row}>
                  {selection ? <td className={classes.check} /> : null}
                  {shown.map((column, index) => (
                    <td key={column.id}>
                      <Skeleton height={12} width={index === 0 ? 140 : 40 + ((row * 37 + index * 53) % 60)} />
                    </td>
                  ))}
                  {rowActions ? <td className={classes.actions} /> : null}
                </tr>
              ))
            : rows.map((row) => (
                <Fragment key={row.id}>
                  <tr
                    data-selected={row.getIsSelected() || undefined}
                    data-open={onOpen ? true : undefined}
                    tabIndex={onOpen ? 0 : undefined}
                    onClick={(event) => onOpen && !isOnControl(event) && onOpen(row.original)}
                    onKeyDown={(event) =>
                      onOpen &&
                      event.key === "Enter" &&
                      event.target === event.currentTarget &&
                      onOpen(row.original)
                    }
                  >
                    {selection ? (
                      <td className={classes.check}>
                        <Checkbox
                          size="xs"
                          aria-label={t("Select row")}
                          checked={row.getIsSelected()}
                          onChange={row.getToggleSelectedHandler()}
                        />
                      </td>
                    ) : null}
                    {row.getVisibleCells().map((cell) => (
                      <td key={cell.id} data-align={byId.get(cell.column.id)?.align}>
                        <table.FlexRender cell={cell} />
                      </td>
                    ))}
                    {rowActions ? (
                      <td className={classes.actions}>
                        <div className={classes.rowActions}>{rowActions(row.original)}</div>
                      </td>
                    ) : null}
                  </tr>
                  <Unfolded
                    span={shown.length + (selection ? 1 : 0) + (rowActions ? 1 : 0)}
                    content={view.detail?.(row.original)}
                  />
                </Fragment>
              ))}
        </tbody>
      </table>
    </div>
  );
}

const skeletonRows = [0, 1, 2, 3, 4, 5, 6, 7];

function Unfolded({ span, content }: { span: number; content: ReactNode }) {
  if (content === null || content === undefined) return null;
  return (
    <tr>
      <td colSpan={span} className={classes.unfolded}>
        {content}
      </td>
    </tr>
  );
}
