/** The table `logs`, whose columns One Hub, New API and One API share. */
import type { ReadContext } from "#migration/products/product.ts";
import type { LogRecord } from "#migration/records.ts";
import { flag, int, points, seconds, text, whole } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";
import { unixTime } from "#platform/clock.ts";

const charge = 2;
const mostSamples = 300;

type SharedField =
  | "id"
  | "createdAt"
  | "userId"
  | "username"
  | "tokenName"
  | "channelId"
  | "model"
  | "isStream"
  | "content"
  | "promptTokens"
  | "completionTokens"
  | "quota";

/**
 * Reads the log since a time.
 * @param ownFields returns the fields that differ between the products; undefined for a row that is left out
 */
export async function* readLogs(
  { source, book }: ReadContext,
  since: Date,
  ownFields: (row: SourceRow) => Omit<LogRecord, SharedField> | undefined,
): AsyncGenerator<LogRecord> {
  if (!source.columns.has("logs")) return;
  const atLeast = { column: "created_at", value: unixTime(since) };
  for await (const row of source.rows({ table: "logs", orderBy: "id", atLeast })) {
    book.read("logs");
    const createdAt = seconds(row, "created_at");
    const own = ownFields(row);
    if (createdAt === undefined || own === undefined) {
      book.skip("logs", "log_type");
      continue;
    }
    yield {
      id: text(row, "id"),
      createdAt,
      userId: int(row, "user_id"),
      username: text(row, "username"),
      tokenName: text(row, "token_name"),
      channelId: int(row, "channel_id"),
      model: text(row, "model_name"),
      isStream: flag(row, "is_stream"),
      content: text(row, "content"),
      promptTokens: whole(row, "prompt_tokens"),
      completionTokens: whole(row, "completion_tokens"),
      quota: points(row, "quota"),
      ...own,
    };
  }
}

/** Returns the type of a log row that all three products share; undefined for another one, such as a test. */
export function sharedType(row: SourceRow): number | undefined {
  const type = int(row, "type");
  return type >= 1 && type <= 4 ? type : undefined;
}

/** Reads the newest rows of charges, for the check of prices. */
export async function* newestCharges({ source }: ReadContext): AsyncGenerator<SourceRow> {
  if (!source.columns.has("logs")) return;
  const equals = { column: "type", value: charge };
  yield* source.rows({ table: "logs", orderBy: "id", descending: true, limit: mostSamples, equals });
}
