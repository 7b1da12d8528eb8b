import type { Db } from "#platform/database/db.ts";
import { loadTable } from "./prices.ts";
import { findPrice } from "./pricing.ts";

/**
 * Models that channels offer and no price fits, by the name that is billed.
 * @param among narrows the channels, which are those that are not deleted
 */
export async function unpricedModels(db: Db, among: { status?: number } = {}): Promise<string[]> {
  const table = await loadTable(db);
  const channels = await db.channel.findMany({
    where: { deleted_at: null, ...among },
    select: { model_mapping: true, models: { select: { model: true } } },
  });
  const missing = new Set<string>();
  for (const { model_mapping: mapping, models } of channels)
    for (const { model } of models) {
      // Only checked mappings are stored.
      const target = (mapping as Record<string, string>)[model];
      const billed = target === undefined || target.startsWith("+") ? model : target;
      if (findPrice(table, billed) === undefined) missing.add(billed);
    }
  return [...missing].sort();
}
