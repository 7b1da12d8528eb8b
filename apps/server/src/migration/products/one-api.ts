import { groupsOf } from "#migration/family/go-options.ts";
import { readRedemptions } from "#migration/family/redemptions.ts";
import { limitsOf, readTokens } from "#migration/family/tokens.ts";
import { readUsers } from "#migration/family/users.ts";
import type { GroupRecord, LogRecord } from "#migration/records.ts";
import { flag, int, list, points, seconds, text, whole } from "#migration/row.ts";
import { oneApiChannels } from "./one-api-channels.ts";
import { oneApiColumns } from "./one-api-columns.ts";
import { oneApiPrices } from "./one-api-prices.ts";
import type { Product, ReadContext } from "./product.ts";

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
      setting: (row) => limitsOf(list(text(row, "models")), list(text(row, "subnet"))),
      groups: () => ({ group: "", backupGroup: "" }),
      billingTag: () => "",
    }),
  channels: oneApiChannels,
  prices: oneApiPrices,
  redemptions: readRedemptions,
  logs,
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

async function* logs({ source, book }: ReadContext, since: Date): AsyncGenerator<LogRecord> {
  const atLeast = { column: "created_at", value: Math.floor(since.getTime() / 1_000) };
  for await (const row of source.rows({ table: "logs", orderBy: "id", atLeast })) {
    book.read("logs");
    const createdAt = seconds(row, "created_at");
    const type = int(row, "type");
    // Type 5 is a test of a channel, which is not charged.
    if (createdAt === undefined || type < 1 || type > 4) {
      book.skip("logs", "log_type");
      continue;
    }
    const id = text(row, "id");
    yield {
      id,
      createdAt,
      requestId: text(row, "request_id") || `import-${id}`,
      type,
      userId: int(row, "user_id"),
      username: text(row, "username"),
      tokenId: 0,
      tokenName: text(row, "token_name"),
      channelId: int(row, "channel_id"),
      group: "",
      backupGroup: false,
      model: text(row, "model_name"),
      upstreamModel: "",
      isStream: flag(row, "is_stream"),
      content: text(row, "content"),
      promptTokens: whole(row, "prompt_tokens"),
      completionTokens: whole(row, "completion_tokens"),
      quota: points(row, "quota"),
      requestTime: int(row, "elapsed_time"),
      firstByteTime: 0,
      ip: "",
    };
  }
}
