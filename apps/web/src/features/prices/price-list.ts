/** Search, order and grouping of prices. Pure. */
import type { ListedPrice, PriceRow } from "@gateway/shared/billing/price";
import { lookupTable } from "@gateway/shared/lookup-table";

export type PriceFilter = { keyword: string; owner: number; type: string; locked: string };

/** @param ownerName returns a provider's name, which the search covers too */
export function filterPrices(
  rows: readonly PriceRow[],
  filter: PriceFilter,
  ownerName: (id: number) => string,
): PriceRow[] {
  const searchText = filter.keyword.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (row.model.toLowerCase().includes(searchText) ||
        ownerName(row.channel_type).toLowerCase().includes(searchText)) &&
      (filter.owner === 0 || row.channel_type === filter.owner) &&
      (filter.type === "" || row.type === filter.type) &&
      (filter.locked === "" || row.locked === (filter.locked === "yes")),
  );
}

/** @param order a field name, `-` in front for descending; "" keeps the list's own order */
export function sortPrices(rows: readonly PriceRow[], order: string): PriceRow[] {
  const field = order.replace(/^-/, "");
  const sign = order.startsWith("-") ? -1 : 1;
  const compare = comparators[field];
  return compare ? [...rows].sort((a, b) => sign * compare(a, b)) : [...rows];
}

const comparators = lookupTable<(a: PriceRow, b: PriceRow) => number>({
  model: (a, b) => a.model.localeCompare(b.model),
  input: (a, b) => a.input - b.input,
  output: (a, b) => a.output - b.output,
  updated_time: (a, b) => a.updated_time - b.updated_time,
});

export type PriceGroup = { key: string; price: PriceRow; models: string[] };

/** Groups models with the same price. */
export function groupPrices(rows: readonly PriceRow[]): PriceGroup[] {
  const groups = new Map<string, PriceGroup>();
  for (const row of rows) {
    const key = fingerprint(row);
    const group = groups.get(key);
    if (group) group.models.push(row.model);
    else groups.set(key, { key, price: row, models: [row.model] });
  }
  return [...groups.values()];
}

function fingerprint(price: ListedPrice): string {
  const extras = Object.entries(price.extra_ratios).sort(([a], [b]) => (a < b ? -1 : 1));
  const { type, channel_type, input, output, locked, tiers } = price;
  return JSON.stringify([channel_type, type, input, output, locked, extras, tiers]);
}

/** Returns models that channels offer without a price. A pattern of a channel is not a model. */
export function modelsWithoutPrice(names: readonly string[], rows: readonly PriceRow[]): string[] {
  const exact = new Set(rows.map((row) => row.model));
  const prefixes = rows.filter((row) => row.model.endsWith("*")).map((row) => row.model.slice(0, -1));
  return names.filter(
    (name) => !name.endsWith("*") && !exact.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)),
  );
}

export type Difference = { field: string; before: string; after: string };

/** Returns the differing fields of two prices of one model, for display. */
export function differencesOf(before: ListedPrice, after: ListedPrice): Difference[] {
  const [left, right] = [flat(before), flat(after)];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((field) => left[field] !== right[field])
    .map((field) => ({ field, before: left[field] ?? "–", after: right[field] ?? "–" }));
}

function flat(price: ListedPrice): Record<string, string> {
  const tiers = price.tiers.map(({ above, input, output }) => `>${above}: ${input}/${output}`);
  return {
    type: price.type,
    input: String(price.input),
    output: String(price.output),
    channel_type: String(price.channel_type),
    ...Object.fromEntries(Object.entries(price.extra_ratios).map(([kind, ratio]) => [kind, String(ratio)])),
    ...(tiers.length > 0 ? { tiers: tiers.join(", ") } : {}),
  };
}
