import { trimEndOf } from "@gateway/shared/trim-end";
import { invalidRequest } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { Price, PriceExtra } from "#platform/prisma/client.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { parseDecimal } from "./decimal.ts";
import { type ActivePrice, type PriceTable, type PriceTier, tableOf, tierPrefix } from "./pricing.ts";

/**
 * The current price list and its edits. Every edit creates a new immutable version, which log rows refer to.
 * It must not depend on how a bill is computed.
 */
export interface Prices {
  /** Returns the node's current list. A call keeps the list that it started with. */
  table(): PriceTable;
  /** Reloads the list. The listener of the topic `prices` calls it. */
  reload(): Promise<void>;
}

export async function createPrices(db: PrismaClient): Promise<Prices> {
  let table = await loadTable(db);
  return {
    table: () => table,
    async reload() {
      table = await loadTable(db);
    },
  };
}

export async function loadTable(db: Db): Promise<PriceTable> {
  const rows = await db.price.findMany({ include: { extras: true } });
  return tableOf(rows.filter(isUsable).map(activePrice));
}

/** A negative ratio would pay the caller. A model with such a price has no price until it is corrected. */
function isUsable(row: PriceRow): boolean {
  const ratios = [row.input, row.output, ...row.extras.map((extra) => extra.value)];
  return ratios.every((ratio) => !ratio.isNegative());
}

export type PriceRow = Price & { extras: PriceExtra[] };

export function activePrice(row: PriceRow): ActivePrice {
  return {
    versionId: row.version_id,
    model: row.model,
    type: row.type === "times" ? "times" : "tokens",
    input: row.input.toFixed(),
    output: row.output.toFixed(),
    extras: Object.fromEntries(row.extras.map((extra) => [extra.kind, extra.value.toFixed()])),
    // Only `savePrice` writes this column.
    tiers: row.tiers as unknown as PriceTier[],
  };
}

export interface SavePrice {
  model: string;
  type: "tokens" | "times";
  /** Model owner. */
  channelType: number;
  input: string;
  output: string;
  extras: Record<string, string>;
  tiers: PriceTier[];
  locked: boolean;
}

const decimalsKept = 10;
/** A tier multiplies a value that is already a product: more decimals would not fit into a bill. */
const decimalsOfTier = 4;
const largestRatio = parseDecimal("1000000000");
const longestModel = 160;

/** Throws `invalid_request` with the offending field when a price cannot be stored. */
export function checkPrice(price: SavePrice): void {
  const name = price.model;
  if (name === "" || name.length > longestModel || name !== name.trim()) {
    throw invalidRequest({ reason: "price_model_name", most: longestModel }, { param: "model" });
  }
  if (name.slice(0, -1).includes("*")) {
    throw invalidRequest({ reason: "price_wildcard" }, { param: "model" });
  }
  checkRatio(price.input, "input");
  checkRatio(price.output, "output");
  for (const [kind, value] of Object.entries(price.extras)) {
    if (kind === "" || kind.length > 48) throw invalidRequest({ reason: "price_kind" }, { param: "extras" });
    checkRatio(value, `extras.${kind}`, kind.startsWith(tierPrefix) ? decimalsOfTier : decimalsKept);
  }
  const thresholds = new Set<number>();
  for (const [index, tier] of price.tiers.entries()) {
    if (!Number.isSafeInteger(tier.above) || tier.above <= 0 || thresholds.has(tier.above)) {
      throw invalidRequest({ reason: "price_tier" }, { param: `tiers.${index}` });
    }
    thresholds.add(tier.above);
    checkRatio(tier.input, `tiers.${index}.input`);
    checkRatio(tier.output, `tiers.${index}.output`);
  }
}

function checkRatio(text: string, param: string, decimals = decimalsKept): void {
  const fraction = text.split(".")[1] ?? "";
  let value: bigint;
  try {
    value = parseDecimal(text);
  } catch {
    throw invalidRequest({ reason: "price_not_decimal", name: param }, { param: param });
  }
  if (value > largestRatio || trimEndOf(fraction, "0").length > decimals) {
    throw invalidRequest({ reason: "price_too_large", name: param, decimals }, { param: param });
  }
}

/**
 * Adds or replaces a price and notifies every node. The old version stays for the log rows that refer to it.
 */
export async function savePrice(db: Db, price: SavePrice, actorId?: number): Promise<ActivePrice> {
  checkPrice(price);
  return inTransaction(db, async (tx) => {
    const saved = await writePrice(tx, price, actorId);
    await announce(tx, "prices", saved.id);
    return activePrice(saved);
  });
}

async function writePrice(tx: Db, price: SavePrice, actorId?: number): Promise<PriceRow> {
  const version = await tx.priceVersion.create({ data: versionOf(price, actorId) });
  const values = { ...columnsOf(price), version_id: version.id, updated_time: version.created_time };
  const extras = Object.entries(price.extras).map(([kind, value]) => ({ kind, value }));
  return tx.price.upsert({
    where: { model: price.model },
    create: { model: price.model, ...values, extras: { create: extras } },
    update: { ...values, extras: { deleteMany: {}, create: extras } },
    include: { extras: true },
  });
}

/** Inserts prices for models without one, in few statements. It does not check them or notify nodes. */
export async function addPrices(tx: Db, prices: SavePrice[], actorId?: number): Promise<void> {
  const versions = await tx.priceVersion.createManyAndReturn({
    data: prices.map((price) => versionOf(price, actorId)),
    select: { id: true, model: true },
  });
  const versionId = new Map(versions.map((version) => [version.model, version.id]));
  const rows = await tx.price.createManyAndReturn({
    data: prices.map((price) => ({
      model: price.model,
      ...columnsOf(price),
      version_id: versionId.get(price.model) ?? 0,
    })),
    select: { id: true, model: true },
  });
  const priceId = new Map(rows.map((row) => [row.model, row.id]));
  await tx.priceExtra.createMany({
    data: prices.flatMap((price) =>
      Object.entries(price.extras).map(([kind, value]) => ({
        price_id: priceId.get(price.model) ?? 0,
        kind,
        value,
      })),
    ),
  });
}

/** Returns known fields only, in a fixed order, so that equal prices have equal versions. */
function tiersOf(price: SavePrice): { above: number; input: string; output: string }[] {
  return [...price.tiers]
    .sort((a, b) => a.above - b.above)
    .map(({ above, input, output }) => ({ above, input, output }));
}

function columnsOf(price: SavePrice) {
  const { type, channelType, input, output, locked } = price;
  return { type, channel_type: channelType, input, output, locked, tiers: tiersOf(price) };
}

function versionOf(price: SavePrice, actorId: number | undefined) {
  const { model, type, input, output, extras } = price;
  return {
    model,
    snapshot: { type, input, output, extras, tiers: tiersOf(price) },
    created_by: actorId ?? null,
  };
}
