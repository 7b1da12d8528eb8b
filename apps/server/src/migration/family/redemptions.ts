import type { ReadContext } from "#migration/products/product.ts";
import type { RedemptionRecord } from "#migration/records.ts";
import { truncateText, deletion, int, points, seconds, text } from "#migration/row.ts";

export async function* readRedemptions(context: ReadContext): AsyncGenerator<RedemptionRecord> {
  for await (const row of context.source.rows({ table: "redemptions", orderBy: "id" })) {
    if (deletion(row) !== undefined) continue;
    context.book.read("redemptions");
    const id = int(row, "id");
    const key = text(row, "key").trim();
    const quota = points(row, "quota");
    if (id <= 0 || key === "" || quota <= 0n) {
      context.book.skip("redemptions", "code_unusable", `code ${id}`);
      continue;
    }
    const status = int(row, "status");
    const redeemedBy = int(row, "used_user_id");
    yield {
      id,
      userId: int(row, "user_id"),
      key,
      name: truncateText(text(row, "name"), 64),
      status: status === 1 || status === 3 ? status : 2,
      quota,
      redeemedBy: redeemedBy > 0 ? redeemedBy : null,
      createdTime: seconds(row, "created_time"),
      redeemedTime: seconds(row, "redeemed_time"),
      expiresAt: seconds(row, "expired_time"),
    };
  }
}
