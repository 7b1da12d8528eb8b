import { loadTable } from "#domain/pricing/prices.ts";
import { findPrice } from "#domain/pricing/pricing.ts";
import type { Db } from "#platform/database/db.ts";
import type { ReportBook } from "./report.ts";
import { record } from "./row.ts";

/** Names every model that a channel offers and no price fits: it is refused here until someone decides on a price. */
export async function noteUnpriced(tx: Db, book: ReportBook, unpriced: string): Promise<void> {
  const table = await loadTable(tx);
  const channels = await tx.channel.findMany({
    where: { deleted_at: null },
    select: { model_mapping: true, models: { select: { model: true } } },
  });
  const missing = new Set<string>();
  for (const { model_mapping: mapping, models } of channels)
    for (const { model } of models) {
      const target = record(mapping)[model];
      const billed = typeof target === "string" && !target.startsWith("+") ? target : model;
      if (findPrice(table, billed) === undefined) missing.add(billed);
    }
  for (const model of [...missing].sort())
    book.attention(
      "model_unpriced",
      `Models without a price. ${unpriced}; here they are refused until they have a price. To charge ratio 30 for them, turn on “Charge models without a price” in the settings`,
      model,
    );
}
