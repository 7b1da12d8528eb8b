/** How long the thumb of the menu's scrollbar is, and where it stands. Pure; in pixels. */
const SHORTEST = 40;
const LONGEST = 100;

export type Scrolled = { shown: number; whole: number; at: number };
export type Thumb = { length: number; offset: number };

/** @returns null when there is nothing to scroll */
export function thumbOf({ shown, whole, at }: Scrolled): Thumb | null {
  const hidden = whole - shown;
  if (hidden < 1) return null;
  const length = Math.min(LONGEST, Math.max(SHORTEST, (shown * shown) / whole));
  return { length, offset: ((shown - length) * at) / hidden };
}

/** How far the menu moves when its thumb is dragged this far. */
export function scrollOfDrag(dragged: number, { shown, whole, at }: Scrolled): number {
  const thumb = thumbOf({ shown, whole, at });
  return thumb === null || shown <= thumb.length ? 0 : (dragged * (whole - shown)) / (shown - thumb.length);
}
