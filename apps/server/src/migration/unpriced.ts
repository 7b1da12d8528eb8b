import { unpricedModels } from "#domain/pricing/unpriced-models.ts";
import type { Db } from "#platform/database/db.ts";
import type { ReportBook } from "./report.ts";

/** Names every model that a channel offers and no price fits: it is refused here until someone decides on a price. */
export async function reportUnpricedModels(tx: Db, book: ReportBook): Promise<void> {
  for (const model of await unpricedModels(tx)) book.attention("model_unpriced", model);
}
