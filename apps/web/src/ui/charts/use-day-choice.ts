/** Which days of a chart are selected: one by pointer, touch or arrow keys, several by dragging. */
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { dayAt } from "./bar-plot.ts";

type Plot = { days: number; axisWidth: number; width: number };

/** First and last day, both included. */
export type SelectedDays = { first: number; last: number };

/** @param onRange called with the days that were clicked, dragged over, or chosen with Enter */
export function useDayChoice(
  { days, axisWidth, width }: Plot,
  onRange: ((range: SelectedDays) => void) | undefined,
) {
  const [chosen, setChosen] = useState<number | null>(null);
  const [began, setBegan] = useState<number | null>(null);
  // The period may become shorter while a day is selected.
  const shown = chosen !== null && chosen < days ? chosen : null;
  const read = shown ?? days - 1;
  const dayOf = (event: PointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - axisWidth;
    return width > 0 ? dayAt(x, days, width) : null;
  };
  const rangeTo = (day: number, from: number): SelectedDays => ({
    first: Math.min(from, day),
    last: Math.max(from, day),
  });
  return {
    shown,
    read,
    brush: began !== null && shown !== null && began !== shown ? rangeTo(shown, began) : null,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
        const day = dayOf(event);
        setChosen(day);
        // A tap shows the values of a day. Only a mouse selects days.
        if (onRange !== undefined && event.pointerType === "mouse" && event.button === 0) setBegan(day);
      },
      onPointerMove: (event: PointerEvent<HTMLDivElement>) => setChosen(dayOf(event)),
      onPointerUp: (event: PointerEvent<HTMLDivElement>) => {
        const day = dayOf(event);
        if (began !== null && day !== null) onRange?.(rangeTo(day, began));
        setBegan(null);
      },
      // A touch ends with pointerleave right after the tap; the day stays selected.
      onPointerLeave: (event: PointerEvent<HTMLDivElement>) => {
        setBegan(null);
        if (event.pointerType === "mouse") setChosen(null);
      },
      onFocus: (event: React.FocusEvent<HTMLDivElement>) => {
        if (event.currentTarget.matches(":focus-visible")) setChosen(days - 1);
      },
      onBlur: () => setChosen(null),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === "Enter" && onRange !== undefined && shown !== null) {
          onRange({ first: shown, last: shown });
          return;
        }
        const next = dayByKey(event.key, read, days);
        if (next === undefined) return;
        event.preventDefault();
        setChosen(next);
      },
    },
  };
}

/** Returns the day to select, null to deselect; undefined for an unhandled key. */
function dayByKey(key: string, day: number, days: number): number | null | undefined {
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(0, day - 1);
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(days - 1, day + 1);
  if (key === "Home") return 0;
  if (key === "End") return days - 1;
  return key === "Escape" ? null : undefined;
}
