/**
 * The keys of every list: j and k move from row to row, x selects the row, Enter opens it, f goes to the filters, Esc
 * returns from them to the row. They act on the elements that `DataTable` marks, so a list has nothing to register.
 */
import { findCurrentRow, ROW } from "#ui/table/current-row.ts";

/** Handles a key that no field or dialog uses. Returns whether it did something. */
export function handleListKey(key: string): boolean {
  switch (key) {
    case "j":
      return focusRow(1);
    case "k":
      return focusRow(-1);
    case "x":
      return clickIn(focusedRow(), "[data-select] input");
    case "Enter":
      // A row that opens handles Enter itself. In other rows the first link leads to the object.
      return clickIn(focusedRow("[data-row]:not([data-open])"), "a[href]");
    case "f":
      return focusFilter("[data-filters] :is(input, button, select)");
    case "/":
      return focusFilter("input[type=search]");
    default:
      return false;
  }
}

/** Returns from a filter to the list. What was typed stays. */
export function leaveFilter(field: EventTarget | null): boolean {
  if (!(field instanceof HTMLElement) || field.getAttribute("aria-expanded") === "true") return false;
  if (field.closest("[role=dialog]") || !field.closest("main")) return false;
  if (!field.closest("[data-filters]") && !field.matches("input[type=search]")) return false;
  const row = findCurrentRow() ?? rowsOf(currentList())[0];
  row?.focus();
  return row !== undefined;
}

function focusRow(by: 1 | -1): boolean {
  const rows = rowsOf(currentList());
  const from = focusedRow() ?? findCurrentRow();
  const at = from === undefined ? -1 : rows.indexOf(from);
  const row = at < 0 ? rows[0] : rows[at + by];
  row?.focus();
  row?.scrollIntoView({ block: "nearest" });
  return rows.length > 0;
}

function focusFilter(wanted: string): boolean {
  const list = currentList();
  const found = [list, document.querySelector("main")].flatMap((part) => [
    ...(part?.querySelectorAll<HTMLElement>(wanted) ?? []),
  ]);
  const field = found.find((each) => each.checkVisibility());
  field?.focus();
  return field !== undefined;
}

function clickIn(row: HTMLElement | undefined, wanted: string): boolean {
  const control = row?.querySelector<HTMLElement>(wanted);
  control?.click();
  return control !== null && control !== undefined;
}

function focusedRow(wanted = ROW): HTMLElement | undefined {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement.matches(wanted) ? activeElement : undefined;
}

/** The list with the focus, else the first one of the screen. */
function currentList(): Element | null {
  return document.activeElement?.closest("[data-list]") ?? document.querySelector("main [data-list]");
}

function rowsOf(list: Element | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>(ROW) ?? [])];
}
