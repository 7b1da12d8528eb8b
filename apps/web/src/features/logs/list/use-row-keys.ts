/** While a call is open, j and k show the next or previous one. Without one they move between rows, as in every list. */
import type { LogRow } from "@gateway/shared/usage/log";
import { useEffect, useEffectEvent } from "react";
import { idOfCall, openCallId } from "#features/logs/call-address.ts";

type OpenPanel = { id: string; swap: (id: string) => void };

type Steps = {
  /** The row of the open call, if the list contains it. */
  row: LogRow | undefined;
  /** Undefined at the ends of the list. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
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
    // Reads the address, because the last render may be one key press behind.
    const id = openCallId();
    if (id !== "") step(placeOf(id), event.key === "j" ? 1 : -1)?.();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return { row: at < 0 ? undefined : rows?.[at], onPrevious: step(at, -1), onNext: step(at, 1) };
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable=true]") !== null
  );
}
