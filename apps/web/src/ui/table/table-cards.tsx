/** The table on a phone: each row is a card with its two main facts at the top. */
import { Checkbox, Skeleton, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isOnControl, type TableView } from "./table-grid.tsx";
import type { Column } from "./table-model.ts";
import classes from "./data-table.module.css";

function place<Row>(column: Column<Row>, index: number): NonNullable<Column<Row>["card"]> {
  return column.card ?? (index === 0 ? "title" : column.hidden ? "none" : "line");
}

export function CardList<Row extends object>(view: TableView<Row>) {
  const { table, columns, loading, fetching, selection, rowActions, onOpen, label, compactRow } = view;
  const { t } = useTranslation();
  const at = (wanted: string) => columns.filter((column, index) => place(column, index) === wanted);
  const [titles, facts, lines] = [at("title"), at("fact").slice(0, 2), at("line")];
  if (loading)
    return (
      <Stack gap="xs" p="sm" aria-busy>
        {[0, 1, 2].map((index) => (
          <Skeleton key={index} height={compactRow ? 56 : 112} radius="md" />
        ))}
      </Stack>
    );
  return (
    <ul className={classes.cards} aria-label={label} data-fetching={fetching || undefined}>
      {table.getRowModel().rows.map((row) => (
        <li
          key={row.id}
          className={classes.card}
          data-compact={compactRow ? true : undefined}
          data-selected={row.getIsSelected() || undefined}
          onClick={(event) => onOpen && !isOnControl(event) && onOpen(row.original)}
          tabIndex={onOpen ? 0 : undefined}
          onKeyDown={(event) =>
            onOpen && event.key === "Enter" && event.target === event.currentTarget && onOpen(row.original)
          }
        >
          {compactRow ? (
            compactRow(row.original)
          ) : (
            <>
              <div className={classes.cardHead}>
                {selection ? (
                  <Checkbox
                    aria-label={t("Select row")}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                ) : null}
                <div className={classes.cardTitle}>
                  {titles.map((column) => (
                    <div key={column.id}>{column.cell(row.original)}</div>
                  ))}
                </div>
                {rowActions ? <div className={classes.cardActions}>{rowActions(row.original)}</div> : null}
              </div>
              {facts.length > 0 ? (
                <dl className={classes.facts}>
                  {facts.map((column) => (
                    <div key={column.id}>
                      <dt>{column.title}</dt>
                      <dd>{column.cell(row.original)}</dd>
                    </div>
                  ))}
                </dl>
              ) : null}
              {lines.length > 0 ? (
                <dl className={classes.lines}>
                  {lines.map((column) => (
                    <div key={column.id}>
                      <dt>{column.title}</dt>
                      <dd>{column.cell(row.original)}</dd>
                    </div>
                  ))}
                </dl>
              ) : null}
            </>
          )}
          {view.detail?.(row.original)}
        </li>
      ))}
    </ul>
  );
}
