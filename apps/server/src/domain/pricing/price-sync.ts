/**
 * Imports a price list: previews and applies the changes. It must not depend on the source of the list.
 */
import type { SyncMode } from "@gateway/shared/billing/price";
import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { invalidRequest } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import { priceFromJson, savedPrice } from "./price-json.ts";
import { addPrices, checkPrice, type PriceRow, type SavePrice } from "./prices.ts";

export interface PriceChanges {
  added: SavePrice[];
  changed: { before: SavePrice; after: SavePrice }[];
  removed: SavePrice[];
  /** Models that the list would change but whose price is locked. */
  locked: string[];
}

const largestList = 20_000;

const Ratio = z.number().min(0).max(1_000_000_000);

const ListedPrice = z.object({
  model: z.string(),
  type: z.enum(["tokens", "times"]),
  channel_type: z.int().min(0).default(0),
  input: Ratio,
  output: Ratio,
  extra_ratios: z.record(z.string(), Ratio).nullish(),
  tiers: listOf(z.object({ above: z.int(), input: Ratio, output: Ratio })).nullish(),
});

const PriceList = listOf(ListedPrice, { most: largestList });
const WrappedList = z.object({ data: z.array(z.unknown()) });

/** Reads a list in the format of other gateways: an array, or an object with the array under `data`. */
export function readPriceList(body: unknown): SavePrice[] {
  const wrapped = WrappedList.safeParse(body);
  const parsed = PriceList.safeParse(wrapped.success ? wrapped.data.data : body);
  if (!parsed.success) throw invalidRequest({ reason: "price_list_unreadable" });
  // Only this installation locks prices. A list cannot.
  const prices = parsed.data.map((listed) => priceFromJson({ ...listed, locked: false }));
  const seen = new Set<string>();
  for (const price of prices) {
    checkPrice(price);
    if (seen.has(price.model)) throw invalidRequest({ reason: "price_list_repeats", model: price.model });
    seen.add(price.model);
  }
  return prices;
}

/** Returns the changes that `syncPrices` would make now. */
export async function previewPrices(db: Db, list: SavePrice[], mode: SyncMode): Promise<PriceChanges> {
  const rows = await db.price.findMany({ include: { extras: true }, orderBy: { model: "asc" } });
  return changes(rows, list, mode);
}

function changes(rows: PriceRow[], list: SavePrice[], mode: SyncMode): PriceChanges {
  const current = new Map(rows.map((row) => [row.model, savedPrice(row)]));
  const listed = new Set(list.map((price) => price.model));
  const result: PriceChanges = { added: [], changed: [], removed: [], locked: [] };
  for (const after of list) {
    const before = current.get(after.model);
    if (before === undefined) {
      if (mode !== "update") result.added.push(after);
    } else if (mode !== "add" && !isSame(before, after)) {
      if (before.locked) result.locked.push(before.model);
      else result.changed.push({ before, after });
    }
  }
  if (mode === "overwrite") {
    result.removed = [...current.values()].filter((price) => !price.locked && !listed.has(price.model));
  }
  return result;
}

function isSame(a: SavePrice, b: SavePrice): boolean {
  return fingerprint(a) === fingerprint(b);
}

function fingerprint(price: SavePrice): string {
  const extras = Object.entries(price.extras).sort(([a], [b]) => (a < b ? -1 : 1));
  const tiers = [...price.tiers]
    .sort((a, b) => a.above - b.above)
    .map((tier) => [tier.above, tier.input, tier.output]);
  return JSON.stringify([price.type, price.channelType, price.input, price.output, extras, tiers]);
}

/** Applies a list in one transaction; every changed price gets a new version. Returns the changes. */
export async function syncPrices(
  db: Db,
  list: SavePrice[],
  mode: SyncMode,
  actorId?: number,
): Promise<PriceChanges> {
  return inTransaction(db, async (tx) => {
    await tx.$executeRaw`LOCK TABLE prices IN SHARE ROW EXCLUSIVE MODE`;
    const result = await previewPrices(tx, list, mode);
    const replaced = [...result.removed, ...result.changed.map((change) => change.before)];
    await tx.price.deleteMany({ where: { model: { in: replaced.map((price) => price.model) } } });
    await addPrices(tx, [...result.added, ...result.changed.map((change) => change.after)], actorId);
    if (replaced.length + result.added.length > 0) await announce(tx, "prices");
    return result;
  });
}
