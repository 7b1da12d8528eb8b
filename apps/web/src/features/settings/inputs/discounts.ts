/** The discounts of top-ups as rows. Stored as the JSON of the older API: `{"100": 0.9, "vip": {"100": 0.8}}`. Pure. */

export type Discount = {
  /** Symbol of the group; "" = everyone. */
  group: string;
  /** Whole dollars; undefined until it is entered. */
  amount: number | undefined;
  /** Percent, 0 to 99.99; undefined until it is entered. */
  off: number | undefined;
};

const offOf = (ratio: number) => Math.round((1 - ratio) * 10_000) / 100;
const ratioOf = (off: number) => Math.round((100 - off) * 100) / 10_000;

/** Returns undefined for text that is no table of discounts. */
export function readDiscounts(text: string): Discount[] | undefined {
  if (text.trim() === "") return [];
  const table = tableOf(text);
  if (table === undefined) return undefined;
  return Object.entries(table).flatMap(([name, value]) =>
    typeof value === "number"
      ? [{ group: "", amount: Number(name), off: offOf(value) }]
      : Object.entries(value).map(([amount, ratio]) => ({
          group: name,
          amount: Number(amount),
          off: offOf(ratio),
        })),
  );
}

type Table = Record<string, number | Record<string, number>>;

function tableOf(text: string): Table | undefined {
  try {
    const table: unknown = JSON.parse(text);
    const isTable = table !== null && typeof table === "object" && !Array.isArray(table);
    return isTable ? (table as Table) : undefined;
  } catch {
    return undefined;
  }
}

/** Leaves out rows that are not complete. */
export function writeDiscounts(rows: readonly Discount[]): string {
  const table: Table = {};
  for (const { group, amount, off } of rows) {
    if (amount === undefined || off === undefined) continue;
    const entry = { [String(amount)]: ratioOf(off) };
    if (group === "") Object.assign(table, entry);
    else table[group] = { ...(table[group] as Record<string, number> | undefined), ...entry };
  }
  return Object.keys(table).length === 0 ? "" : JSON.stringify(table);
}

/** Returns whether another row above has the same group and amount. The lower one would replace it. */
export function isDuplicate(rows: readonly Discount[], place: number): boolean {
  const row = rows[place];
  return rows
    .slice(0, place)
    .some(({ group, amount }) => amount !== undefined && amount === row?.amount && group === row.group);
}
