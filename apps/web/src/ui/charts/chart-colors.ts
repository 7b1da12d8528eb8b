/** The ordered palette of all charts. A name has the same colour on every chart. */
const slots = 6;
const taken = new Map<string, number>();

export const othersColor = "var(--chart-others)";

/** Returns the colour of a series. Assigned in order and kept for the lifetime of the page. */
export function seriesColor(name: string): string {
  let slot = taken.get(name);
  if (slot === undefined) {
    slot = taken.size % slots;
    taken.set(name, slot);
  }
  return `var(--chart-${slot + 1})`;
}
