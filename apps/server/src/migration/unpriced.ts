import { unpricedModels } from "#domain/pricing/unpriced-models.ts";
import type { Db } from "#platform/database/db.ts";
import type { ReportBook } from "./report.ts";

/** Names every model that a channel offers and no price fits: it is refused here until someone decides on a price. */
export async function noteUnpriced(tx: Db, book: ReportBook, unpriced: string): Promise<void> {
  for (const model of await unpricedModels(tx))
    book.attention(
      "model_unpriced",
      `Models without a price. ${unpriced}; here they are refused until they have a price. To charge ratio 30 for them, turn on “Charge models without a price” in the settings`,
      model,
    );
}
