/** The columns, orders and selection of a table. */
import { columnVisibilityFeature, rowSelectionFeature, tableFeatures } from "@tanstack/react-table";
import type { ReactNode } from "react";

export type Column<Row> = {
  /** Unique in the table; with `sortable`, the field that the server sorts by. */
  id: string;
  /** Already translated. */
  title: string;
  cell: (row: Row) => ReactNode;
  /** The points that the cell shows with `Amount`. They decide the decimals of the whole column. */
  amounts?: (row: Row) => readonly number[];
  /** The amounts are costs of single calls, which have more decimals. */
  charges?: boolean;
  /** Numbers are aligned right. */
  align?: "left" | "right";
  sortable?: boolean;
  /** Sort value for a completely loaded list; other lists are sorted by the server. */
  sortValue?: (row: Row) => string | number;
  /** Minimum width in pixels. */
  width?: number;
  /** Sticks to the right edge when the table scrolls sideways. */
  pinned?: boolean;
  /** Replaces the title in the header of a column that is too narrow for it. */
  untitled?: boolean;
  /** Hidden until the user selects it. */
  hidden?: boolean;
  /** Left out of a narrow table unless the user selected it: the others fit without scrolling sideways. */
  secondary?: boolean;
  /** Cannot be hidden. */
  fixed?: boolean;
  /**
   * Position on a phone's card: the title line, one of the two facts below it, a labelled line, or none.
   * Default: "title" for the first column, "line" for the others.
   */
  card?: "title" | "fact" | "line" | "none";
};

/** Returns whether the columns offer this order: "-field", "field,-other", or "", which is the list's own. */
export function offersOrder<Row>(columns: readonly Column<Row>[], order: string): boolean {
  const fields = columns.filter((column) => column.sortable).map(({ id }) => id);
  return order === "" || order.split(",").every((part) => fields.includes(part.replace(/^-/, "")));
}

/** Numbers begin with the largest one, and times with the latest; text begins with A. */
function beginsDescending<Row>({ id, align }: Column<Row>): boolean {
  return align === "right" || /_(time|at)$/.test(id);
}

/** Cycles through both directions of a column and the list's own order. */
export function nextOrder<Row>(order: string, column: Column<Row>): string {
  const ascending = column.id;
  const descending = `-${column.id}`;
  const [first, second] = beginsDescending(column) ? [descending, ascending] : [ascending, descending];
  if (order === first) return second;
  return order === second ? "" : first;
}

/** Sorts the rows of a completely loaded list. The sort is stable. */
export function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: string): Row[] {
  const field = order.replace(/^-/, "");
  const valueOf = columns.find(({ id, sortable }) => sortable && id === field)?.sortValue;
  if (valueOf === undefined) return [...rows];
  const sign = order.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) => sign * compareValues(valueOf(a), valueOf(b)));
}

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
}

export type Selection = {
  keys: string[];
  onChange: (keys: string[]) => void;
  /**
   * Loads the keys of all rows of the filter. Offered when the whole page is selected and the list has more.
   */
  all?: { total: number | undefined; load: () => Promise<string[]> };
};

export const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
export type Features = typeof features;
