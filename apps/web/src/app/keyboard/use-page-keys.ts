/** The keys that work on every screen while no field, menu or dialog has the focus. */
import { useEffect, useEffectEvent } from "react";
import { useNavigate } from "react-router-dom";
import { mayOpen, screens } from "#app/screens.ts";
import { useSelf } from "#lib/session.ts";
import { handleListKey, leaveFilter } from "./list-keys.ts";

/** Milliseconds in which the letter follows g. */
const SEQUENCE_MS = 1_500;

/** @param onHelp called when `?` is pressed */
export function usePageKeys(onHelp: () => void): void {
  const navigate = useNavigate();
  const self = useSelf();
  const goTo = (letter: string): boolean => {
    const screen = screens.find(({ goKey }) => goKey === letter);
    if (screen === undefined || !self || !mayOpen(screen, self)) return false;
    void navigate(`/panel/${screen.id}`);
    return true;
  };
  const handleKey = useEffectEvent((key: string, isSecond: boolean): boolean => {
    if (isSecond && goTo(key)) return true;
    if (key !== "?") return handleListKey(key);
    onHelp();
    return true;
  });
  useEffect(() => {
    /** When g was pressed; undefined unless the next key completes a sequence. */
    let begunAt: number | undefined;
    const press = (event: KeyboardEvent) => {
      const isSecond = begunAt !== undefined && event.timeStamp - begunAt < SEQUENCE_MS;
      begunAt = undefined;
      if (isTaken(event)) {
        if (event.key === "Escape" && !event.isComposing && leaveFilter(event.target)) event.preventDefault();
        return;
      }
      if (event.key === "g" && !isSecond) {
        begunAt = event.timeStamp;
        return;
      }
      if (handleKey(event.key, isSecond)) event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** Returns whether the key belongs to a field, a menu or a dialog instead of the page. */
function isTaken(event: KeyboardEvent): boolean {
  const { target, ctrlKey, metaKey, altKey, defaultPrevented, isComposing } = event;
  if (ctrlKey || metaKey || altKey || defaultPrevented || isComposing) return true;
  if (document.querySelector("[role=dialog][aria-modal=true]") !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  const taker =
    "input:not([type=checkbox], [type=radio]), textarea, select, [role=dialog], [role=menu], [role=listbox]";
  return target.isContentEditable || target.closest(taker) !== null;
}
