/** The table on wide screens: sticky header, first column and actions; headers sort. */
import { Checkbox, Skeleton, UnstyledButton } from "@mantine/core";
import { useCallbackRef } from "@mantine/hooks";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import type { ReactTable } from "@tanstack/react-table";
import { memo, type MouseEvent, type ReactNode, useCallback } from "react";
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
  /** Expanded content below a row; null while it is collapsed. */
  detail?: (row: Row) => ReactNode;
  /** Rows below a row, in the same columns. Not on phones. */
  below?: (row: Row, columns: readonly Column<Row>[]) => ReactNode;
  onOpen?: (row: Row) => void;
  openKey?: string;
  /** The visible columns. The same array until the user selects others. */
  shown: Column<Row>[];
  compactRow?: (row: Row) => ReactNode;
};

/** Returns whether the event belongs to a control inside the row instead of the row. */
export function isOnControl(event: MouseEvent<HTMLElement>): boolean {
  if (!(event.target instanceof Element)) return false;
  // A popover or dialog opened from the row is elsewhere in the DOM; React still bubbles its events here.
  if (!event.currentTarget.contains(event.target)) return true;
  const control = event.target.closest(
    "a, button, input, label, select, textarea, [role=menuitem], [role=switch]",
  );
  return control !== null && control !== event.currentTarget;
}

/**
 * Marks a table that is wider than its frame. Only there the first column and the actions stick to the edges: each cell
 * that sticks is a layer of its own, and a thousand rows of them make every movement of the pointer slow.
 */
function useWidthMark() {
  return useCallback((frame: HTMLDivElement | null) => {
    if (frame === null) return;
    const mark = () => frame.toggleAttribute("data-wider", frame.scrollWidth > frame.clientWidth);
    const observer = new ResizeObserver(mark);
    for (const element of [frame, ...frame.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

export function TableGrid<Row extends object>(view: TableView<Row>) {
  const { table, shown, loading, fetching, order = "", onOrder, selection, rowActions, onOpen } = view;
  const { t } = useTranslation();
  // Stable callbacks, so that a growing list renders only its new rows.
  const open = useCallbackRef(onOpen);
  const toggle = useCallbackRef((id: string, selected: boolean) => table.getRow(id).toggleSelected(selected));
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
        onClick={() => onOrder(nextOrder(order, column))}
      >
        {column.title}
        <Arrow size={13} className={classes.arrow} />
      </UnstyledButton>
    );
  };
  const ariaSort = (id: string) =>
    order === id ? "ascending" : order === `-${id}` ? "descending" : undefined;

  return (
    <div ref={useWidthMark()} className={classes.scroll} tabIndex={0} role="region" aria-label={view.label}>
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
            {shown.map((column) => (
              <th
                key={column.id}
                scope="col"
                data-align={column.align}
                data-pinned={column.pinned}
                data-secondary={column.secondary || undefined}
                style={{ minWidth: column.width }}
                aria-sort={ariaSort(column.id)}
              >
                {column.untitled ? (
                  <span className={classes.hiddenText}>{column.title}</span>
                ) : (
                  heading(column)
                )}
              </th>
            ))}
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
                    <td
                      key={column.id}
                      data-align={column.align}
                      data-pinned={column.pinned}
                      data-secondary={column.secondary || undefined}
                    >
                      <Skeleton height={12} width={index === 0 ? 140 : 40 + ((row * 37 + index * 53) % 60)} />
                    </td>
                  ))}
                  {rowActions ? <td className={classes.actions} /> : null}
                </tr>
              ))
            : rows.map((row) => (
                <GridRow
                  key={row.id}
                  id={row.id}
                  row={row.original}
                  shown={shown}
                  selected={selection ? row.getIsSelected() : null}
                  isOpen={view.openKey === row.id}
                  onToggle={toggle}
                  onOpen={onOpen ? open : undefined}
                  rowActions={rowActions}
                  detail={view.detail}
                  below={view.below}
                />
              ))}
        </tbody>
      </table>
    </div>
  );
}

type GridRowProps<Row extends object> = {
  id: string;
  row: Row;
  shown: Column<Row>[];
  /** Null in a list without a selection. */
  selected: boolean | null;
  isOpen: boolean;
  onToggle: (id: string, selected: boolean) => void;
  onOpen: ((row: Row) => void) | undefined;
  rowActions: ((row: Row) => ReactNode) | undefined;
  detail: ((row: Row) => ReactNode) | undefined;
  below: TableView<Row>["below"] | undefined;
};

function PlainRow<Row extends object>(props: GridRowProps<Row>) {
  const { id, row, shown, selected, isOpen, onToggle, onOpen, rowActions, detail, below } = props;
  const { t } = useTranslation();
  return (
    <>
      <tr
        data-selected={selected || isOpen || undefined}
        data-open={onOpen ? true : undefined}
        data-row={id}
        // j and k go to every row; Tab only to those that open.
        tabIndex={onOpen ? 0 : -1}
        onClick={(event) => onOpen && !isOnControl(event) && onOpen(row)}
        onKeyDown={(event) =>
          onOpen && event.key === "Enter" && event.target === event.currentTarget && onOpen(row)
        }
      >
        {selected === null ? null : (
          <td className={classes.check} data-select>
            <Checkbox
              size="xs"
              aria-label={t("Select row")}
              checked={selected}
              onChange={(event) => onToggle(id, event.currentTarget.checked)}
            />
          </td>
        )}
        <Cells row={row} shown={shown} />
        {rowActions ? (
          <td className={classes.actions}>
            <div className={classes.rowActions}>{rowActions(row)}</div>
          </td>
        ) : null}
      </tr>
      <DetailsRow
        span={shown.length + (selected === null ? 0 : 1) + (rowActions ? 1 : 0)}
        content={detail?.(row)}
      />
      {below?.(row, shown)}
    </>
  );
}

/**
 * Renders again only when its row, the columns or its state
 * change. `memo` drops the type parameter of a generic component.
 */
const GridRow = memo(PlainRow) as typeof PlainRow;

function PlainCells<Row extends object>({ row, shown }: Pick<GridRowProps<Row>, "row" | "shown">): ReactNode {
  return shown.map((column) => (
    <td
      key={column.id}
      data-align={column.align}
      data-pinned={column.pinned}
      data-secondary={column.secondary || undefined}
    >
      {column.cell(row)}
    </td>
  ));
}

/** Not rendered again when only the selection or the actions of the row change. */
const Cells = memo(PlainCells) as typeof PlainCells;

type LowerRowProps = {
  /** Unique in the list, also among the rows above. */
  id: string;
  columns: readonly Pick<Column<never>, "id" | "align" | "secondary">[];
  cell: (id: string) => ReactNode;
  actions: ReactNode;
  onOpen: () => void;
};

/** A row that belongs to the one above it. It has the same keys. */
export function LowerRow({ id, columns, cell, actions, onOpen }: LowerRowProps) {
  return (
    <tr
      data-lower
      data-row={id}
      data-open
      tabIndex={0}
      onClick={(event) => !isOnControl(event) && onOpen()}
      onKeyDown={(event) => event.key === "Enter" && event.target === event.currentTarget && onOpen()}
    >
      {columns.map(({ id, align, secondary }) => (
        <td key={id} data-align={align} data-secondary={secondary || undefined}>
          {cell(id)}
        </td>
      ))}
      <td className={classes.actions}>
        <div className={classes.rowActions}>{actions}</div>
      </td>
    </tr>
  );
}

const skeletonRows = [0, 1, 2, 3, 4, 5, 6, 7];

function DetailsRow({ span, content }: { span: number; content: ReactNode }) {
  if (content === null || content === undefined) return null;
  return (
    <tr>
      <td colSpan={span} className={classes.unfolded}>
        {content}
      </td>
    </tr>
  );
}
