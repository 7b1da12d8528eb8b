-- Releases the points of reservations, and books what leases among them have charged. Accounts that another transaction
-- has locked are left for the next run. Reservations that were handed over meanwhile (node `background`) stay. So do those
-- with a checkpoint, which are charged instead.
--
--   $1 request IDs   $2 account IDs   $3 token IDs
WITH clock AS MATERIALIZED (
  SELECT d.zone, d.day, date_trunc('week', d.day)::date AS week, date_trunc('month', d.day)::date AS month
  FROM (SELECT zone, (now() AT TIME ZONE zone)::date AS day FROM site_time_zone() AS zone) d
), payer AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), purse AS MATERIALIZED (
  SELECT id FROM tokens WHERE id = ANY($3::int[]) AND (SELECT count(*) FROM payer) >= 0
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), closed AS MATERIALIZED (
  DELETE FROM reservations v
  WHERE v.request_id = ANY($1::text[]) AND v.node_id <> 'background'
    AND v.checkpoint IS NULL AND v.user_id IN (SELECT id FROM payer)
    AND (v.token_id IN (SELECT id FROM purse) OR NOT EXISTS (SELECT FROM tokens t WHERE t.id = v.token_id))
  RETURNING user_id, token_id, amount, token_amount, slots, version, session_id, derived_keys, charged, served, ended
), moved AS MATERIALIZED (
  SELECT user_id, token_id, CASE WHEN version = 0 THEN -amount ELSE 0 END AS reserved,
    CASE WHEN version > 0 THEN -amount ELSE 0 END AS leased,
    CASE WHEN version = 0 THEN -token_amount ELSE 0 END AS token_reserved,
    CASE WHEN version > 0 THEN -token_amount ELSE 0 END AS token_leased, -slots AS slots, charged AS charge, served,
    ended, ended AS used FROM closed
), move_user AS (
  -- A statement that began before midnight may come after one that began after it: the day never goes back.
  UPDATE users u SET reserved = u.reserved + s.reserved, leased = u.leased + s.leased, quota = u.quota - s.charge,
    used_quota = u.used_quota + s.charge, request_count = u.request_count + s.served,
    spent_day = GREATEST(u.spent_day, k.day),
    day_quota = CASE WHEN u.spent_day >= k.day THEN u.day_quota ELSE 0 END + s.charge,
    week_quota = CASE WHEN u.spent_day >= k.week THEN u.week_quota ELSE 0 END + s.charge,
    month_quota = CASE WHEN u.spent_day >= k.month THEN u.month_quota ELSE 0 END + s.charge
  FROM (
    SELECT user_id, sum(reserved)::bigint AS reserved, sum(leased)::bigint AS leased, sum(charge)::bigint AS charge,
      sum(served) AS served, sum(ended) AS ended
    FROM moved GROUP BY user_id
  ) s, clock k WHERE u.id = s.user_id AND (s.reserved <> 0 OR s.leased <> 0 OR s.ended > 0)
), move_token AS (
  UPDATE tokens t SET reserved = t.reserved + s.reserved, leased = t.leased + s.leased, open_calls = t.open_calls + s.slots,
    used_quota = t.used_quota + s.charge,
    accessed_time = CASE WHEN s.used > 0 THEN now() ELSE t.accessed_time END,
    remain_quota = CASE WHEN t.unlimited_quota THEN t.remain_quota ELSE t.remain_quota - s.charge END,
    spent_day = GREATEST(t.spent_day, k.day), spent_month = GREATEST(t.spent_month, k.month),
    day_quota = CASE WHEN t.spent_day >= k.day THEN t.day_quota ELSE 0 END + s.charge,
    week_quota = CASE WHEN t.spent_day >= k.week THEN t.week_quota ELSE 0 END + s.charge,
    month_quota = CASE WHEN t.spent_day >= k.month THEN t.month_quota ELSE 0 END + s.charge
  FROM (
    SELECT token_id, sum(token_reserved)::bigint AS reserved, sum(token_leased)::bigint AS leased, sum(slots)::int AS slots,
      sum(charge)::bigint AS charge, sum(ended) AS ended, sum(used) AS used
    FROM moved GROUP BY token_id
  ) s, clock k WHERE t.id = s.token_id AND (s.reserved <> 0 OR s.leased <> 0 OR s.slots <> 0 OR s.ended > 0)
), give_session AS (
  UPDATE session_budgets b SET reserved = b.reserved - s.points
  FROM (SELECT session_id, sum(amount)::bigint AS points FROM closed WHERE session_id IS NOT NULL GROUP BY session_id) s
  WHERE b.id = s.session_id
), give_derived_key AS (
  UPDATE derived_keys d SET reserved = d.reserved - k.points
  FROM (
    SELECT e.id, sum(c.amount)::bigint AS points
    FROM closed c CROSS JOIN LATERAL unnest(c.derived_keys) AS e(id) GROUP BY e.id
  ) k
  WHERE d.id = k.id
)
SELECT count(*)::int AS released FROM closed
