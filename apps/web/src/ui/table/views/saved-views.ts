/** Named filters of a list, kept in this browser for each user. A view is the query string of its list and its columns. */
import { drawerParams } from "#lib/address/drawer-param.ts";
import { readStorage, writeStorage } from "#lib/browser-storage.ts";
import { type ChosenColumns, COLUMNS, columnsText } from "./linked-columns.ts";

/** Views of earlier versions have no columns. */
export type SavedView = { name: string; search: string; columns?: ChosenColumns | undefined };

export const MOST_VIEWS = 20;
export const LONGEST_NAME = 40;

const keyOf = (list: string, userId: number) => `views:${list}:${userId}`;

/** Parameters that are not part of the filters: what is open or compared, the place in the list, and its columns. */
const momentary = [...drawerParams, "page", "size", "cursor", "compare", COLUMNS];

/** Returns the query string of the current filters, in one order. */
export function viewOf(search: string): string {
  const params = new URLSearchParams(search);
  for (const name of momentary) params.delete(name);
  params.sort();
  return params.toString();
}

/** Returns the query string of a link to the view: filters, order and columns. */
export function linkedQuery({ search, columns }: SavedView): string {
  const params = new URLSearchParams(viewOf(search));
  if (columns) params.set(COLUMNS, columnsText(columns));
  return params.toString();
}

/** Returns whether the list shows what the view has saved. */
export function isCurrent(view: SavedView, search: string, columns: ChosenColumns): boolean {
  return viewOf(view.search) === viewOf(search) && (!view.columns || hasSameEntries(view.columns, columns));
}

function hasSameEntries(a: ChosenColumns, b: ChosenColumns): boolean {
  return Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);
}

export function viewsOf(list: string, userId: number): SavedView[] {
  try {
    const stored: unknown = JSON.parse(readStorage(keyOf(list, userId)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView).slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

const sortByName = (views: SavedView[]) =>
  views.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));

/** Returns the views with this one, sorted by name. A view with the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return sortByName([...views.filter(({ name }) => name !== view.name), view]);
}

/** Returns the views after one was renamed, sorted by name. */
export function withName(views: readonly SavedView[], view: SavedView, name: string): SavedView[] {
  return sortByName(views.map((each) => (each === view ? { ...view, name } : each)));
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
    typeof value.search === "string" &&
    (!("columns" in value) || isChosen(value.columns))
  );
}

function isChosen(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((shown) => typeof shown === "boolean")
  );
}
