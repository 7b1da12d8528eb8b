import { internalError } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { largestAmount } from "./amounts.ts";

/**
 * Imports balances from another gateway: one ledger entry of the kind `import` per user, and past charges in
 * `usage_hours`, so that the books match the counters. It runs set-based in the import's transaction. Users
 * are staged with balance and use, and booked after all tokens and past charges are staged.
 */

export interface OpeningBalance {
  userId: number;
  /** Points; negative for an account in debt. */
  balance: bigint;
  /** Usage reported by the other gateway, in points. */
  used: bigint;
}

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

export async function prepareOpening(db: Db): Promise<void> {
  await db.$executeRawUnsafe(
    `CREATE TEMP TABLE opening_users (id int PRIMARY KEY, balance bigint, used bigint) ON COMMIT DROP`,
  );
  await db.$executeRawUnsafe(
    `CREATE TEMP TABLE opening_tokens (id int PRIMARY KEY, user_id int, used bigint) ON COMMIT DROP`,
  );
}

export async function stageBalances(db: Db, rows: readonly OpeningBalance[]): Promise<void> {
  for (const { balance, used } of rows)
    if (balance > largestAmount || balance < -largestAmount || used < 0n || used > largestAmount)
      throw internalError(new Error(`A balance of ${balance} and a use of ${used} points cannot be kept.`));
  await db.$executeRawUnsafe(
    `INSERT INTO opening_users SELECT * FROM unnest($1::int[], $2::text[]::bigint[], $3::text[]::bigint[])`,
    rows.map((row) => row.userId),
    rows.map((row) => String(row.balance)),
    rows.map((row) => String(row.used)),
  );
}

export async function stageTokenUse(
  db: Db,
  rows: readonly { tokenId: number; userId: number; used: bigint }[],
): Promise<void> {
  await db.$executeRawUnsafe(
    `INSERT INTO opening_tokens SELECT * FROM unnest($1::int[], $2::int[], $3::text[]::bigint[])`,
    rows.map((row) => row.tokenId),
    rows.map((row) => row.userId),
    rows.map((row) => String(row.used)),
  );
}

/** Adds past charges of staged users to the hours. Returns the number of skipped rows. */
export async function addPastCharges(db: Db, rows: readonly PastCharge[]): Promise<number> {
  const taken = await db.$executeRawUnsafe(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens,
       completion_tokens, request_time)
     SELECT r.hour, r.user_id, r.token_id, r.channel_id, r.model, r."group", r.requests, r.quota, r.prompt, r.completion, r.ms
     FROM jsonb_to_recordset($1::jsonb) AS r(hour timestamptz, user_id int, token_id int, channel_id int, model text,
       "group" text, requests bigint, quota bigint, prompt bigint, completion bigint, ms bigint)
     JOIN opening_users u ON u.id = r.user_id
     ON CONFLICT (hour, user_id, token_id, channel_id, model, "group") DO UPDATE SET
       request_count = usage_hours.request_count + excluded.request_count, quota = usage_hours.quota + excluded.quota,
       prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
       completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens,
       request_time = usage_hours.request_time + excluded.request_time`,
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
  );
  return rows.length - taken;
}

/**
 * Books the staged balances. A user's usage becomes the maximum of the reports for the user, the user's
 * tokens and the past charges. Usage without details becomes one charge in `hour`.
 */
export async function bookOpening(
  db: Db,
  { source, reason, hour }: { source: string; reason: string; hour: Date },
): Promise<void> {
  await db.$executeRawUnsafe(
    `WITH spent AS (SELECT user_id AS id, sum(used) AS points FROM opening_tokens GROUP BY 1),
     known AS (SELECT user_id AS id, sum(quota) AS points FROM usage_hours GROUP BY 1),
     sums AS (
       SELECT o.id, o.balance, COALESCE(spent.points, 0) AS by_tokens, COALESCE(known.points, 0) AS by_hours,
         GREATEST(o.used, COALESCE(spent.points, 0), COALESCE(known.points, 0)) AS used
       FROM opening_users o LEFT JOIN spent USING (id) LEFT JOIN known USING (id)
     ), entries AS (
       INSERT INTO ledger_entries (user_id, kind, amount, reference, reason)
       SELECT id, 'import', balance + used, $1 || ':user:' || id, $2 FROM sums WHERE balance + used <> 0
     ), rest AS (
       INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", quota)
       SELECT $3::timestamptz, s.id, 0, 0, $4, u."group", s.used - s.by_hours - s.by_tokens
       FROM sums s JOIN users u USING (id) WHERE s.used <> s.by_hours + s.by_tokens
     ), of_tokens AS (
       INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", quota)
       SELECT $3::timestamptz, t.user_id, t.id, 0, $4, u."group", t.used
       FROM opening_tokens t JOIN users u ON u.id = t.user_id WHERE t.used <> 0
     ), tokens_used AS (
       UPDATE tokens t SET used_quota = o.used FROM opening_tokens o WHERE o.id = t.id AND o.used <> 0
     )
     UPDATE users u SET quota = s.balance, used_quota = s.used FROM sums s WHERE s.id = u.id`,
    source,
    reason,
    hour,
    importedModel,
  );
}
