/** Length and position of the thumb of the menu's scrollbar, in pixels. Pure. */
const SHORTEST = 40;
const LONGEST = 100;

export type ScrollState = { shown: number; whole: number; at: number };
export type Thumb = { length: number; offset: number };

/** @returns null when there is nothing to scroll */
export function thumbOf({ shown, whole, at }: ScrollState): Thumb | null {
  const hidden = whole - shown;
  if (hidden < 1) return null;
  const length = Math.min(LONGEST, Math.max(SHORTEST, (shown * shown) / whole));
  return { length, offset: ((shown - length) * at) / hidden };
}

/** Returns how far the menu scrolls when its thumb is dragged by `dragged` pixels. */
export function scrollOfDrag(dragged: number, { shown, whole, at }: ScrollState): number {
  const thumb = thumbOf({ shown, whole, at });
  return thumb === null || shown <= thumb.length ? 0 : (dragged * (whole - shown)) / (shown - thumb.length);
}
