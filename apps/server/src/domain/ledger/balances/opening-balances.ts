/**
 * Imports balances from another gateway: one ledger entry of the kind `import` per user, and past charges in
 * `usage_hours`, so that the books match the counters. It runs set-based in the import's transaction. Users
 * and keys are inserted with their counters, and booked after all keys and past charges are there.
 */
import type { BatchStatement } from "#platform/database/batch-statement.ts";
import type { Db } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

const { text: insertUsersText } = readStatement(import.meta.url, "insert-opening-users.sql");
const { text: insertTokensText } = readStatement(import.meta.url, "insert-opening-tokens.sql");
const { text: addChargesText } = readStatement(import.meta.url, "add-past-charges.sql");
const { text: bookText } = readStatement(import.meta.url, "book-opening-balances.sql");

export interface PastCharge {
  hour: Date;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
  group: string;
  requests: bigint;
  quota: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  requestTime: bigint;
}

/** Model name for imported charges without details. */
export const importedModel = "imported";

export async function createOpeningTables(db: Db): Promise<void> {
  await db.$executeRawUnsafe(
    `CREATE TEMP TABLE opening_users (id int PRIMARY KEY, balance bigint, used bigint) ON COMMIT DROP`,
  );
  await db.$executeRawUnsafe(
    `CREATE TEMP TABLE opening_tokens (id int PRIMARY KEY, user_id int, used bigint) ON COMMIT DROP`,
  );
}

/**
 * Inserts accounts with their balance and the usage that the other gateway reports for them.
 * @param rows JSON array of rows of `users`; points as text
 */
export async function insertOpeningUsers(run: BatchStatement, rows: string): Promise<void> {
  await run(insertUsersText, [rows]);
}

/** What became of an inserted key. Without an owner, or with the text of another key, it is left out. */
export interface OpeningToken {
  id: number;
  owned: boolean;
  stored: boolean;
}

/**
 * Inserts keys with the usage that the other gateway reports for them.
 * @param rows JSON array of rows of `tokens`; points as text
 */
export async function insertOpeningTokens(run: BatchStatement, rows: string): Promise<OpeningToken[]> {
  const outcome = await run<OpeningToken>(insertTokensText, [rows]);
  return outcome.rows;
}

/** Adds past charges of staged users to the hours. Returns the number of skipped rows. */
export async function addPastCharges(run: BatchStatement, rows: readonly PastCharge[]): Promise<number> {
  const { rowCount } = await run(addChargesText, [
    JSON.stringify(
      rows.map((row) => ({
        hour: row.hour.toISOString(),
        user_id: row.userId,
        token_id: row.tokenId,
        channel_id: row.channelId,
        model: row.model,
        group: row.group,
        requests: String(row.requests),
        quota: String(row.quota),
        prompt: String(row.promptTokens),
        completion: String(row.completionTokens),
        ms: String(row.requestTime),
      })),
    ),
  ]);
  return rows.length - rowCount;
}

/**
 * Books the staged balances. A user's usage becomes the maximum of the reports for the user, the user's
 * tokens and the past charges. Usage without details becomes one charge in `hour`.
 */
export async function bookOpeningBalances(
  db: Db,
  { source, reason, hour }: { source: string; reason: string; hour: Date },
): Promise<void> {
  await db.$executeRawUnsafe(bookText, source, reason, hour, importedModel);
}
