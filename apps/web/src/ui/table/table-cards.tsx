/**
 * The table on a phone: each row has its title and two main facts, and opens to the others. Without columns
 * that are facts, the first two others are.
 */
import { ActionIcon, Checkbox, Skeleton, Stack } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
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
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const titles = at("title");
  const factColumns = at("fact");
  const rest = [...factColumns, ...at("line")];
  const count = Math.min(2, factColumns.length || 2);
  const facts = rest.slice(0, count);
  const lines = rest.slice(count);
  if (loading)
    return (
      <Stack gap="xs" p="sm" aria-busy>
        {[0, 1, 2].map((index) => (
          <Skeleton key={index} height={compactRow ? 56 : 84} radius="md" />
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
          data-row={row.id}
          data-open={onOpen ? true : undefined}
          tabIndex={onOpen ? 0 : -1}
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
                  <div data-select>
                    <Checkbox
                      aria-label={t("Select row")}
                      checked={row.getIsSelected()}
                      onChange={row.getToggleSelectedHandler()}
                    />
                  </div>
                ) : null}
                <div className={classes.cardTitle}>
                  {titles.map((column) => (
                    <div key={column.id}>{column.cell(row.original)}</div>
                  ))}
                </div>
                <div className={classes.cardActions}>
                  {rowActions?.(row.original)}
                  {lines.length > 0 ? (
                    <ActionIcon
                      size={32}
                      className={classes.more}
                      aria-label={t("Details")}
                      aria-expanded={open.has(row.id)}
                      onClick={() => toggle(row.id)}
                    >
                      <IconChevronDown size={17} stroke={1.7} />
                    </ActionIcon>
                  ) : null}
                </div>
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
              {lines.length > 0 && open.has(row.id) ? (
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
