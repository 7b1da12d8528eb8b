/** One ordered palette for every chart; the same name gets the same colour on all of them. */
const slots = 6;
const taken = new Map<string, number>();

export const othersColor = "var(--chart-others)";

/** Colours for the series of a chart, in their order. Remembered while the page lives. */
export function seriesColor(name: string): string {
  let slot = taken.get(name);
  if (slot === undefined) {
    slot = taken.size % slots;
    taken.set(name, slot);
  }
  return `var(--chart-${slot + 1})`;
}
