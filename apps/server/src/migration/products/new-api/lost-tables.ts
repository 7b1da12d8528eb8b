import { objectOption } from "#migration/family/go-options.ts";
import type { ReadContext } from "#migration/products/product.ts";
import { flag, int, points, seconds, text } from "#migration/row.ts";

/** Tables without a counterpart that mean money to someone. */
export async function reportLostTables(context: ReadContext): Promise<void> {
  const { source, book, now } = context;
  for (const lost of ["GroupGroupRatio", "TopupGroupRatio"])
    if (Object.keys(objectOption(context, lost)).length > 0) book.attention("group_ratios_lost", lost);
  if (source.columns.has("user_subscriptions"))
    for await (const row of source.rows({ table: "user_subscriptions" })) {
      const ends = seconds(row, "end_time");
      if (text(row, "status") !== "active" || (ends !== undefined && ends <= now)) continue;
      const left = points(row, "amount_total") - points(row, "amount_used");
      book.attention("subscriptions_lost", `user ${int(row, "user_id")}: ${left > 0n ? left : "∞"}`);
    }
  if (source.columns.has("subscription_plans"))
    for await (const row of source.rows({ table: "subscription_plans" }))
      book.note("subscription_plans_lost", text(row, "title"));
  if (source.columns.has("checkins"))
    for await (const row of source.rows({ table: "checkins", orderBy: "id", descending: true, limit: 1 }))
      book.note("checkins_lost", `the last one on ${text(row, "checkin_date")}`);
  await noteSignIns(context);
  await noteSwitches(context);
}

/** Ways to sign in that have a table of their own. */
async function noteSignIns({ source, book }: ReadContext): Promise<void> {
  const providers = new Map<string, string>();
  for await (const row of source.rows({ table: "custom_oauth_providers" }))
    providers.set(text(row, "id"), text(row, "name") || text(row, "slug"));
  for await (const row of source.rows({ table: "user_oauth_bindings", orderBy: "id" })) {
    const number = text(row, "provider_id");
    book.attention("sign_in_lost", `user ${int(row, "user_id")}`, {
      provider: providers.get(number) || `OAuth ${number}`,
    });
  }
}

/** Operations on a tag switch channels off in a derived table only. */
async function noteSwitches({ source, book }: ReadContext): Promise<void> {
  const enabled = new Set<number>();
  for await (const row of source.rows({ table: "channels" }))
    if (int(row, "status") === 1) enabled.add(int(row, "id"));
  const differing = new Set<number>();
  for await (const row of source.rows({ table: "abilities" })) {
    const id = int(row, "channel_id");
    if (enabled.has(id) && !flag(row, "enabled", true)) differing.add(id);
  }
  for (const id of differing) book.attention("channel_abilities", `channel ${id}`);
}
