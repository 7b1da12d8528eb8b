/** The row of a list that had the focus last: keys continue there, and a closed form returns to it. */

export const ROW = "[data-row]";

let current: { list: Element; id: string } | undefined;

/** Called when something within a list receives the focus. */
export function rememberRow(target: EventTarget): void {
  if (!(target instanceof Element)) return;
  const row = target.closest<HTMLElement>(ROW);
  const list = target.closest("[data-list]");
  if (row && list) current = { list, id: row.dataset["row"] ?? "" };
}

/** Returns the row while it is on the screen. A row that was rendered again is found by its id. */
export function findCurrentRow(): HTMLElement | undefined {
  if (!current?.list.isConnected) return undefined;
  return current.list.querySelector<HTMLElement>(`[data-row="${CSS.escape(current.id)}"]`) ?? undefined;
}

/** Returns the focus to the row unless another element has it. */
export function restoreRowFocus(): void {
  if (document.activeElement === null || document.activeElement === document.body) findCurrentRow()?.focus();
}
