-- Deducts expired balances. The expiry date is checked under the lock: an earlier top-up has moved it. An account without
-- a balance loses its date, so that the next credit sets a new one. The log rows have the type 4 (LogType.system).
--
--   $1 maximum number of accounts   $2 template of the reason
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
  SELECT now(), e.reference, 4::smallint, d.id, d.username, e.reason, e.amount, e.reason_facts
  FROM entry e JOIN due d ON d.id = e.user_id
)
SELECT d.id, COALESCE(-e.amount, 0)::bigint AS points FROM due d LEFT JOIN entry e ON e.user_id = d.id
