-- Books what calls have cost in leases to the rows of the account and the token, which all nodes share. Until then it is
-- a part of the points of the lease, so that the free points of the account are the same before and after. Charges of
-- accounts and tokens that another transaction has locked stay.
--
--   $1 account IDs   $2 node, or NULL for the leases of all nodes
--   $3 true: charges of leases that a batch is charging now stay, too
--
-- Returns the booked leases.
WITH clock AS MATERIALIZED (
  SELECT d.zone, d.day, date_trunc('week', d.day)::date AS week, date_trunc('month', d.day)::date AS month
  FROM (SELECT zone, (now() AT TIME ZONE zone)::date AS day FROM site_time_zone() AS zone) d
), payer AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), purse AS MATERIALIZED (
  SELECT id FROM tokens WHERE (SELECT count(*) FROM payer) >= 0 AND id IN (
    SELECT token_id FROM reservations WHERE user_id = ANY($1::int[]) AND ended > 0 AND node_id = COALESCE($2::text, node_id)
  ) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), idle AS MATERIALIZED (
  SELECT v.request_id FROM reservations v
  WHERE $3::boolean AND (SELECT count(*) FROM purse) >= 0
    AND v.user_id = ANY($1::int[]) AND v.ended > 0 AND v.node_id = COALESCE($2::text, v.node_id)
  ORDER BY v.request_id FOR UPDATE SKIP LOCKED
), lease AS MATERIALIZED (
  SELECT v.request_id, v.user_id, v.token_id, v.token_amount, v.charged, v.served, v.ended
  FROM reservations v JOIN payer p ON p.id = v.user_id
  WHERE v.user_id = ANY($1::int[]) AND v.ended > 0 AND v.node_id = COALESCE($2::text, v.node_id)
    AND (v.token_id IN (SELECT id FROM purse) OR NOT EXISTS (SELECT FROM tokens t WHERE t.id = v.token_id))
    AND (NOT $3::boolean OR v.request_id IN (SELECT request_id FROM idle))
  ORDER BY v.request_id FOR UPDATE OF v
), booked AS (
  UPDATE reservations v SET amount = v.amount - l.charged,
    token_amount = CASE WHEN l.token_amount > 0 THEN v.token_amount - l.charged ELSE 0 END,
    charged = 0, served = 0, ended = 0
  FROM lease l WHERE v.user_id = ANY($1::int[]) AND v.request_id = l.request_id
), moved AS MATERIALIZED (
  SELECT user_id, token_id, 0 AS reserved, -charged AS leased, 0 AS token_reserved,
    CASE WHEN token_amount > 0 THEN -charged ELSE 0 END AS token_leased, 0 AS slots, charged AS charge, served, ended,
    ended AS used FROM lease
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
)
SELECT request_id FROM lease
