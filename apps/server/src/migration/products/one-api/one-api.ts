import { groupsOf } from "#migration/family/go-options.ts";
import { readRedemptions } from "#migration/family/redemptions.ts";
import { limitsOf, readTokens, restriction } from "#migration/family/tokens.ts";
import { readUsers } from "#migration/family/users.ts";
import type { Product, ReadContext } from "#migration/products/product.ts";
import type { GroupRecord } from "#migration/records.ts";
import { text } from "#migration/row.ts";
import { oneApiChannels } from "./channels.ts";
import { oneApiColumns } from "./columns.ts";
import { oneApiCharges, oneApiLogs } from "./history.ts";
import { oneApiPrices } from "./prices.ts";

/** Options that become something else than a setting of the same name. */
const handled = new Set(["ModelRatio", "CompletionRatio", "GroupRatio"]);

export const oneApi: Product = {
  id: "one-api",
  title: "One API",
  known: oneApiColumns,
  required: {
    users: "id username password quota used_quota group",
    tokens: "id user_id key status expired_time remain_quota unlimited_quota subnet models",
    channels: "id type key models group config",
    abilities: "group model channel_id",
    options: "key value",
  },
  groups,
  users: readUsers,
  tokens: (context) =>
    readTokens(context, {
      accepts: (key) => !/[-\s]/.test(key),
      setting: (row) => limitsOf(restriction(text(row, "models")), restriction(text(row, "subnet"))),
      groups: () => ({ group: "", backupGroup: "" }),
      billingTag: () => "",
    }),
  channels: oneApiChannels,
  prices: oneApiPrices,
  redemptions: readRedemptions,
  logs: oneApiLogs,
  charges: oneApiCharges,
  settings: ({ options }) =>
    Object.fromEntries(
      [...options]
        .filter(([key]) => !handled.has(key))
        .map(([key, value]) => [key === "OidcEnabled" ? "OIDCAuthEnabled" : key, value]),
    ),
};

async function* groups(context: ReadContext): AsyncGenerator<GroupRecord> {
  yield* groupsOf(context, {});
}
