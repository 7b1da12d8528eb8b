/** j and k move through the calls: from panel to panel while one is open, else from row to row. */
import type { LogRow } from "@gateway/shared/usage/log";
import { useEffect, useEffectEvent } from "react";
import { idOfCall, openCallId } from "#features/logs/call-address.ts";

type OpenPanel = { id: string; swap: (id: string) => void };

type Steps = {
  /** The row of the open call, if the list contains it. */
  shown: LogRow | undefined;
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
};

export function useRowKeys(rows: readonly LogRow[] | undefined, panel: OpenPanel): Steps {
  const placeOf = (id: string) => (id === "" ? -1 : (rows ?? []).findIndex((row) => idOfCall(row) === id));
  const at = placeOf(panel.id);
  const step = (from: number, by: 1 | -1) => {
    const row = from < 0 ? undefined : rows?.[from + by];
    return row === undefined ? undefined : () => panel.swap(idOfCall(row));
  };
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!/^[jk]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey || isTyping(event))
      return;
    const by = event.key === "j" ? 1 : -1;
    // Reads the address, because the last render may be one key press behind.
    const id = openCallId();
    if (id === "") focusRow(by);
    else step(placeOf(id), by)?.();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return { shown: at < 0 ? undefined : rows?.[at], previous: step(at, -1), next: step(at, 1) };
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable=true]") !== null
  );
}

/** Moves the focus from the focused row, or to the first one. */
function focusRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("tr[data-row]")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const row = at < 0 ? rows[0] : rows[at + by];
  row?.focus();
  row?.scrollIntoView({ block: "nearest" });
}
