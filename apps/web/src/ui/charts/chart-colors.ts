/** The ordered palette of all charts. A name keeps its colour from chart to chart. */
export const PALETTE_SIZE = 6;
const indexByName = new Map<string, number>();

export const othersColor = "var(--chart-others)";

/**
 * Returns the colours of the series of one chart, by name. A name keeps the colour that it had before, unless
 * another name of this chart has it.
 */
export function seriesColors(names: readonly string[]): Map<string, string> {
  const slots = new Map<string, number>();
  const used = new Set<number>();
  const take = (name: string, slot: number) => {
    slots.set(name, slot);
    used.add(slot);
  };
  for (const name of names) {
    const before = indexByName.get(name);
    if (before !== undefined && !used.has(before)) take(name, before);
  }
  for (const name of names) {
    if (slots.has(name)) continue;
    let slot = indexByName.size % PALETTE_SIZE;
    // A chart with more names than colours repeats them.
    while (used.has(slot) && used.size < PALETTE_SIZE) slot = (slot + 1) % PALETTE_SIZE;
    take(name, slot);
    if (!indexByName.has(name)) indexByName.set(name, slot);
  }
  return new Map([...slots].map(([name, slot]) => [name, `var(--chart-${slot + 1})`]));
}
