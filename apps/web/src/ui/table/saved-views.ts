/** Named filters of a list, kept in this browser for each user. A view is the query string of its list. */
import { readStorage, writeStorage } from "#lib/browser-storage.ts";

export type SavedView = { name: string; search: string };

export const MOST_VIEWS = 20;
export const LONGEST_NAME = 40;

const keyOf = (list: string, userId: number) => `views:${list}:${userId}`;

/** Parameters that are not part of a view: what is open, and the place in the list. */
const momentary = ["call", "page", "cursor"];

/** Returns the query string of the current filters, in one order. */
export function viewOf(search: string): string {
  const params = new URLSearchParams(search);
  for (const name of momentary) params.delete(name);
  params.sort();
  return params.toString();
}

export function viewsOf(list: string, userId: number): SavedView[] {
  try {
    const stored: unknown = JSON.parse(readStorage(keyOf(list, userId)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView).slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

/** Stores the views, sorted by name. A view with the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].toSorted((a, b) =>
    a.name.localeCompare(b.name, undefined, { numeric: true }),
  );
}

export function storeViews(list: string, userId: number, views: readonly SavedView[]): void {
  writeStorage(keyOf(list, userId), views.length === 0 ? null : JSON.stringify(views));
}

function isView(value: unknown): value is SavedView {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    value.name !== "" &&
    "search" in value &&
    typeof value.search === "string"
  );
}
