/** What a list of the console is made of. */
import { columnVisibilityFeature, rowSelectionFeature, tableFeatures } from "@tanstack/react-table";
import type { ReactNode } from "react";

export type Column<Row> = {
  /** Unique in the table; with `sortable`, the field name the server sorts by. */
  id: string;
  /** Already translated. */
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers go to the right. */
  align?: "left" | "right";
  sortable?: boolean;
  /** What a list that is here as a whole is sorted by; other lists are sorted by the server. */
  sortValue?: (row: Row) => string | number;
  /** Pixels the column should at least have. */
  width?: number;
  /** Stays at the right edge when the table is wider than its place. */
  pinned?: boolean;
  /** Stands in place of the title in the head: a narrow column has no room for it. */
  untitled?: boolean;
  /** Not shown until the reader chooses it. */
  hidden?: boolean;
  /** Cannot be hidden. */
  fixed?: boolean;
  /**
   * Place on a phone's card: the title line, one of the two facts below it, a labelled line, or nowhere.
   * Default: the first column is the title, the others are lines.
   */
  card?: "title" | "fact" | "line" | "none";
};

/** Whether the columns can be clicked into this order: "-field", "field,-other", or "", which is the list's own. */
export function offersOrder<Row>(columns: readonly Column<Row>[], order: string): boolean {
  const fields = columns.filter((column) => column.sortable).map(({ id }) => id);
  return order === "" || order.split(",").every((part) => fields.includes(part.replace(/^-/, "")));
}

/** First ascending, then descending, then the list's own order. */
export function nextOrder(order: string, field: string): string {
  if (order === field) return `-${field}`;
  return order === `-${field}` ? "" : field;
}

/** The rows of a list that is here as a whole, in this order; rows with the same value keep theirs. */
export function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: string): Row[] {
  const field = order.replace(/^-/, "");
  const valueOf = columns.find(({ id, sortable }) => sortable && id === field)?.sortValue;
  if (valueOf === undefined) return [...rows];
  const sign = order.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) => sign * compared(valueOf(a), valueOf(b)));
}

function compared(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
}

export type Selection = {
  keys: string[];
  onChange: (keys: string[]) => void;
  /** Offered when the whole page is selected and the list has more: the keys of all rows of the filter. */
  all?: { total: number | undefined; load: () => Promise<string[]> };
};

export const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
export type Features = typeof features;
