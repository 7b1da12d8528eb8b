import { reasons } from "@gateway/shared/reasons";
import { LogType } from "@gateway/shared/usage/log-type";
import { recallLeases } from "#domain/ledger/leases/recall-leases.ts";
import type { Database } from "#platform/database/db.ts";

/**
 * Deducts expired balances. Points of open calls remain until these calls end. The balance keeps its expiry
 * date until then, so that the next run deducts the points that they released.
 */

type Books = Pick<Database, "db" | "pool">;

/** Maximum number of accounts per statement; each is locked while it runs. */
const portion = 200;

/**
 * Parameters: $1 maximum number of accounts, $2 template of the reason. The expiry date is checked under the
 * lock: an earlier top-up has moved it. An account without a balance loses its date, so that the next credit
 * sets a new one.
 */
const statement = `
WITH due AS MATERIALIZED (
  SELECT id, username, quota - reserved - leased AS rest, reserved + leased AS reserved, quota_expires_at FROM users
  WHERE quota_expires_at <= now() AND (quota - reserved - leased > 0 OR reserved + leased = 0)
  ORDER BY id LIMIT $1 FOR NO KEY UPDATE
), entry AS (
  INSERT INTO ledger_entries (user_id, kind, amount, reference, reason, reason_facts)
  SELECT id, 'expiry', -rest, id || ':' || gen_random_uuid(),
    replace($2, '{{time}}', ended), jsonb_build_array(jsonb_build_object(
      'code', 'balanceExpired', 'params', jsonb_build_object('time', ended)))
  FROM due, to_char(quota_expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') ended WHERE rest > 0
  RETURNING user_id, amount, reference, reason, reason_facts
), moved AS (
  UPDATE users u SET quota = u.quota + COALESCE(e.amount, 0),
    quota_expires_at = CASE WHEN d.reserved = 0 THEN NULL ELSE d.quota_expires_at END
  FROM due d LEFT JOIN entry e ON e.user_id = d.id WHERE u.id = d.id
), log AS (
  INSERT INTO request_logs (created_at, request_id, type, user_id, username, content, quota, content_facts)
  SELECT now(), e.reference, ${LogType.system}::smallint, d.id, d.username, e.reason, e.amount, e.reason_facts
  FROM entry e JOIN due d ON d.id = e.user_id
)
SELECT d.id, COALESCE(-e.amount, 0)::bigint AS points FROM due d LEFT JOIN entry e ON e.user_id = d.id`;

/** Recalls the leases of these accounts first, because leased points are not free. */
async function recallExpired({ db, pool }: Books): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    "SELECT id FROM users WHERE quota_expires_at <= now() AND leased > 0 ORDER BY id LIMIT $1",
    [portion],
  );
  await Promise.all(rows.map(({ id }) => recallLeases(db, id)));
}

/** Deducts all expired balances. Returns the users and the points deducted. */
export async function expireBalances(database: Books): Promise<{ userId: number; points: bigint }[]> {
  const { pool } = database;
  const taken: { userId: number; points: bigint }[] = [];
  await recallExpired(database);
  for (;;) {
    const { rows } = await pool.query<{ id: number; points: bigint }>(statement, [
      portion,
      reasons.balanceExpired,
    ]);
    for (const { id, points } of rows) if (points > 0n) taken.push({ userId: id, points });
    if (rows.length < portion) return taken;
  }
}
