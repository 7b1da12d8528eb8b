-- Writes a credit: its ledger entry, the balance and the log row.
--
--   $1 account    $2 kind      $3 amount    $4 reference     $5 reason
--   $6 actor      $7 log type  $8 address   $9 valid until   $10 facts of the reason
--
-- Returns no row when the account does not exist. `entry_id` is null when nothing was written, because the entry exists
-- already or the balance would leave its range.
WITH payer AS MATERIALIZED (
  SELECT id, username, quota, reserved + leased AS reserved FROM users WHERE id = $1::int FOR NO KEY UPDATE
), entry AS (
  INSERT INTO ledger_entries (user_id, kind, amount, reference, reason, actor_id, reason_facts)
  SELECT id, $2, $3::bigint, $4, $5, $6::int, $10::jsonb FROM payer
  WHERE CASE WHEN $3::bigint > 0 THEN quota + $3::bigint <= 9007199254740991
    ELSE quota - reserved + $3::bigint >= 0 END
  ON CONFLICT (kind, reference) DO NOTHING
  RETURNING id, amount
), moved AS (
  UPDATE users u SET quota = u.quota + e.amount, quota_expires_at = COALESCE($9::timestamptz, u.quota_expires_at)
  FROM entry e WHERE u.id = $1::int
), log AS (
  INSERT INTO request_logs (created_at, request_id, type, user_id, username, content, quota, source_ip, content_facts)
  SELECT now(), $4, $7::smallint, p.id, p.username, $5, e.amount, $8, $10::jsonb FROM entry e, payer p
)
SELECT p.quota + COALESCE(e.amount, 0) AS balance, e.id AS entry_id FROM payer p LEFT JOIN entry e ON true
