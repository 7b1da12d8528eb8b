import type { BatchStatement } from "#platform/database/batch-statement.ts";
import type { Db } from "#platform/database/db.ts";

/**
 * Imports balances from another gateway: one ledger entry of the kind `import` per user, and past charges in
 * `usage_hours`, so that the books match the counters. It runs set-based in the import's transaction. Users
 * and keys are inserted with their counters, and booked after all keys and past charges are there.
 */

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
  await run(
    `WITH given AS (SELECT * FROM jsonb_populate_recordset(NULL::users, $1::jsonb)),
     staged AS (INSERT INTO opening_users SELECT id, quota, used_quota FROM given)
     INSERT INTO users (id, username, password_hash, display_name, role, status, email, avatar_url, "group", quota, used_quota,
       request_count, access_token_hash, aff_code, inviter_id, aff_count, aff_quota, aff_history, language, last_login_time,
       last_login_ip, created_time, deleted_at, budget)
     SELECT id, username, password_hash, display_name, role, status, email, avatar_url, "group", quota, used_quota,
       request_count, access_token_hash, aff_code, inviter_id, aff_count, aff_quota, aff_history, language, last_login_time,
       last_login_ip, created_time, deleted_at, budget
     FROM given`,
    [rows],
  );
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
  const outcome = await run<OpeningToken>(
    `WITH given AS (
       SELECT t.*, o.id IS NOT NULL AS owned
       FROM jsonb_populate_recordset(NULL::tokens, $1::jsonb) t LEFT JOIN users o ON o.id = t.user_id
     ), stored AS (
       INSERT INTO tokens (id, user_id, name, key_hash, key_encrypted, key_hint, status, created_time, accessed_time,
         expired_time, unlimited_quota, remain_quota, used_quota, "group", backup_group, setting, billing_tag, budget, deleted_at)
       SELECT id, user_id, name, key_hash, key_encrypted, key_hint, status, created_time, accessed_time,
         expired_time, unlimited_quota, remain_quota, used_quota, "group", backup_group, setting, billing_tag, budget, deleted_at
       FROM given WHERE owned ON CONFLICT DO NOTHING RETURNING id, user_id, used_quota
     ), staged AS (INSERT INTO opening_tokens SELECT id, user_id, used_quota FROM stored WHERE used_quota <> 0)
     SELECT g.id, g.owned, s.id IS NOT NULL AS stored FROM given g LEFT JOIN stored s USING (id)`,
    [rows],
  );
  return outcome.rows;
}

/** Adds past charges of staged users to the hours. Returns the number of skipped rows. */
export async function addPastCharges(run: BatchStatement, rows: readonly PastCharge[]): Promise<number> {
  const { rowCount } = await run(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens,
       completion_tokens, request_time)
     SELECT r.hour, r.user_id, r.token_id, r.channel_id, r.model, r."group", r.requests, r.quota, r.prompt, r.completion, r.ms
     FROM jsonb_to_recordset($1::jsonb) AS r(hour timestamptz, user_id int, token_id int, channel_id int, model text,
       "group" text, requests bigint, quota bigint, prompt bigint, completion bigint, ms bigint)
     JOIN opening_users u ON u.id = r.user_id
     ON CONFLICT (hour, user_id, token_id, channel_id, model, "group", part) DO UPDATE SET
       request_count = usage_hours.request_count + excluded.request_count, quota = usage_hours.quota + excluded.quota,
       prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
       completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens,
       request_time = usage_hours.request_time + excluded.request_time`,
    [
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
    ],
  );
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
     )
     UPDATE users u SET used_quota = s.used FROM sums s WHERE s.id = u.id AND u.used_quota <> s.used`,
    source,
    reason,
    hour,
    importedModel,
  );
}
