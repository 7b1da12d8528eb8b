/** The table of every list in the console. Wraps the table library; independent of the type of rows. */
import { Box, Button, Group, Text } from "@mantine/core";
import { type DisplayColumnDef, useTable } from "@tanstack/react-table";
import { type ReactNode, useEffect, useEffectEvent, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Density, useDensity } from "#lib/lists/density.ts";
import { aroundList, fittingRows, isAutomaticSize, rowHeights } from "#lib/lists/page-size.ts";
import { LoadError } from "#ui/empty.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { AmountColumns, type ColumnAmounts } from "./amount-columns.tsx";
import { rememberRow } from "./current-row.ts";
import { DisplayMenu } from "./display-menu.tsx";
import { OrderMenu } from "./order-menu.tsx";
import { Pager, type Paging } from "./pager.tsx";
import { SelectAll } from "./select-all.tsx";
import { CardList } from "./table-cards.tsx";
import { TableGrid } from "./table-grid.tsx";
import { type Column, type Features, features, offersOrder, type Selection } from "./table-model.ts";
import { useChosenColumns } from "./views/use-chosen-columns.ts";
import { ViewsMenu } from "./views/views-menu.tsx";
import classes from "./data-table.module.css";

type DataTableProps<Row> = {
  /** Key of the list in local storage, for the selected columns. */
  id: string;
  /** Content of the list, for screen readers. */
  label: string;
  columns: Column<Row>[];
  /** Undefined until the first response. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** A request is pending. The old rows stay, dimmed. */
  fetching?: boolean;
  error?: unknown;
  onRetry?: () => void;
  paging: Paging;
  /** `-field` or `field`, as in the list query. */
  order?: string;
  onOrder?: (order: string) => void;
  selection?: Selection;
  /** Replaces the left side of the toolbar while rows are selected. */
  bulkActions?: (keys: string[]) => ReactNode;
  /** Buttons and menus of a row, always visible. */
  rowActions?: (row: Row) => ReactNode;
  /** Expanded content below a row; null while it is collapsed. */
  detail?: (row: Row) => ReactNode;
  /** Rows below a row, in the same columns. Not on phones. */
  below?: (row: Row, columns: readonly Column<Row>[]) => ReactNode;
  /** Called on a click on the row, except on its controls. Opens its details. */
  onOpen?: (row: Row) => void;
  /** Key of the row whose details are open. */
  openKey?: string;
  /** A row on a phone, in two lines, in place of a card with all columns. */
  compactRow?: (row: Row) => ReactNode;
  empty: ReactNode;
  /** Search box and filters. */
  toolbar?: ReactNode;
  /** Right of the toolbar, before its own menus: refresh, export. */
  tools?: ReactNode;
  /** Key of the saved views in local storage, for a list whose filters are in the address. */
  views?: string;
  /** One sentence above the rows that describes them. */
  note?: string | undefined;
};

const noRows: never[] = [];

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { id, columns, rows, rowKey, error, onRetry, paging, selection, bulkActions, empty } = props;
  const { t } = useTranslation();
  const phone = useIsPhone();
  const [chosen, setChosen] = useChosenColumns({ list: id, columns, hasLinks: props.views !== undefined });
  const [density, setDensity] = useDensity();
  const changeDensity = (next: Density) => {
    const isAutomatic = paging.kind === "pages" && isAutomaticSize(paging.size);
    setDensity(next);
    if (isAutomatic) paging.onChange({ size: fittingRows(next) });
  };

  const defs = useMemo(
    () =>
      columns.map((column): DisplayColumnDef<Features, Row> => ({
        id: column.id,
        header: column.title,
        enableHiding: !column.fixed,
        cell: (context) => column.cell(context.row.original),
      })),
    [columns],
  );
  const columnVisibility = useMemo(() => {
    const visible: Record<string, boolean> = {};
    for (const column of columns)
      visible[column.id] = column.fixed ? true : (chosen[column.id] ?? !column.hidden);
    return visible;
  }, [columns, chosen]);
  const rowSelection = useMemo(
    () => Object.fromEntries((selection?.keys ?? []).map((key) => [key, true as const])),
    [selection?.keys],
  );

  const table = useTable({
    features,
    columns: defs,
    data: rows ?? noRows,
    getRowId: rowKey,
    state: { columnVisibility, rowSelection },
    onColumnVisibilityChange: (update) =>
      setChosen(typeof update === "function" ? update(columnVisibility) : update),
    onRowSelectionChange: (update) => {
      const next = typeof update === "function" ? update(rowSelection) : update;
      selection?.onChange(Object.keys(next).filter((key) => next[key]));
    },
    enableRowSelection: Boolean(selection),
  });

  // An address can request an order that the server rejects. No control of the page could correct it.
  const { order = "", onOrder } = props;
  const refused = Boolean(error) && !offersOrder(columns, order);
  useEffect(() => {
    if (refused) onOrder?.("");
  }, [refused, onOrder]);

  // The last row of the last page was deleted, or the address names a later page.
  const isBeyondEnd =
    paging.kind === "pages" && paging.page > 1 && rows?.length === 0 && props.fetching !== true;
  const goToLastPage = useEffectEvent(() => {
    if (paging.kind !== "pages") return;
    paging.onChange({ page: Math.max(1, Math.ceil((paging.total ?? 0) / paging.size)) });
  });
  useEffect(() => {
    if (isBeyondEnd) goToLastPage();
  }, [isBeyondEnd]);

  const selected = selection?.keys ?? [];
  const loading = (rows === undefined && !error) || isBeyondEnd;
  const isEmpty = rows !== undefined && rows.length === 0 && !isBeyondEnd;
  const shown = useMemo(
    () =>
      columns
        .filter((column) => columnVisibility[column.id])
        .map((column) => (column.secondary && chosen[column.id] ? { ...column, secondary: false } : column)),
    [columns, columnVisibility, chosen],
  );
  const view = { ...props, table, loading, shown };
  const money = useMemo(() => {
    const columnPoints: Record<"amounts" | "charges", ColumnAmounts> = { amounts: {}, charges: {} };
    for (const { id: name, amounts, charges } of columns)
      if (amounts) columnPoints[charges ? "charges" : "amounts"][name] = (rows ?? noRows).flatMap(amounts);
    return columnPoints;
  }, [columns, rows]);

  return (
    <Box
      className={classes.frame}
      data-list
      data-density={density}
      style={{ "--row-height": `${rowHeights[density]}px`, "--around-list": `${aroundList}px` }}
      onFocus={(event) => rememberRow(event.target)}
    >
      <div className={classes.toolbar}>
        {selected.length > 0 && bulkActions ? (
          <Group gap="xs">
            <Text fw={500}>{t("{{count}} selected", { count: selected.length })}</Text>
            <SelectAll selection={selection} rows={rows?.map(rowKey)} />
            {bulkActions(selected)}
            <Button variant="subtle" color="gray" onClick={() => selection?.onChange([])}>
              {t("Clear selection")}
            </Button>
          </Group>
        ) : (
          <div className={classes.filters} data-filters>
            {props.toolbar}
          </div>
        )}
        <Group gap={4} wrap="nowrap">
          {props.tools}
          {props.views === undefined ? null : (
            <ViewsMenu list={props.views} columns={chosen} onColumns={setChosen} />
          )}
          {!phone ? (
            <DisplayMenu
              table={table}
              onReset={() => setChosen({})}
              density={density}
              onDensity={changeDensity}
            />
          ) : onOrder && columns.some((column) => column.sortable) ? (
            <OrderMenu columns={columns} order={order} onOrder={onOrder} />
          ) : null}
        </Group>
      </div>
      {props.note === undefined ? null : (
        <Text c="dimmed" fz="sm" px={16} pb={10}>
          {props.note}
        </Text>
      )}
      {error && rows === undefined ? (
        <LoadError error={error} onRetry={onRetry} />
      ) : isEmpty ? (
        empty
      ) : (
        <AmountColumns {...money}>{phone ? <CardList {...view} /> : <TableGrid {...view} />}</AmountColumns>
      )}
      {rows === undefined || (isEmpty && paging.kind === "pages" && paging.page === 1) ? null : (
        <Pager paging={paging} shown={rows.length} />
      )}
    </Box>
  );
}
