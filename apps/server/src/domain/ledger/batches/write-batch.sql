-- Commits the calls that begin, the calls that end and the leases of a batch. They change the same rows of accounts and
-- tokens, so separate statements would wait for each other's commit. It locks accounts, then tokens, each by ID, then
-- sessions, derived keys and reservations, as every statement of the ledger does, so that nodes cannot deadlock.
--
--   $1 node                          $2 the node's rows in the roll-up
--   $3 account IDs                   $4 token IDs
--   $5 log rows of calls that end, separated by \x1E; $6 to $10 belong to them:
--   $6 index of the operation        $7 lease, or NULL                     $8 points reserved in that lease
--   $9 cached tokens                 $10 the operator reserves less than such a call can cost
--   $11 request IDs of calls that end and have a reservation of their own
--   $12 leases (LeaseRequest)        $13 lease IDs
--   $14 calls that begin             $15 sessions of the calls that begin
--   $16 request IDs of calls that end and used a quote
--   $17 derived keys of the calls that begin
--   $18 request IDs of calls that end and have web searches by the gateway
--
-- Returns one row for each call that begins. `verdict` is `granted`, `again` (fits alone, but not together with the
-- others of this batch, or is the first call of a derived key), `taken` (the request ID has a reservation) or the name
-- of the refusal: `user`, `key`, `balance`, `session`, `session_busy`, one that begins with `derived`, or a limit of
-- `spend_limit`. `most` is the limit that was reached, for `balance`
-- and `token` the points in leases; `until` is the end of the limit's period. A call that ends has a row, `settled` with
-- the charge, if its reservation was open; a lease has one if it was in the expected version.
--
-- Calls that end return their points before calls that begin are checked. The running sums include every call that would
-- fit alone, and the first of them is always granted, so `again` makes progress. The first call of a derived key makes
-- its row, and is decided by the next batch: only a row that was there when the statement began can be locked and read.
--
-- A CTE runs when it is read. Counting the rows of a locking CTE forces it to run before the next one.
WITH clock AS MATERIALIZED (
  -- Periods begin at midnight in the site's time zone; weeks begin on Monday. All nodes use the database's clock.
  SELECT d.zone, d.day, date_trunc('week', d.day)::date AS week, date_trunc('month', d.day)::date AS month
  FROM (SELECT zone, (now() AT TIME ZONE zone)::date AS day FROM site_time_zone() AS zone) d
), ending AS MATERIALIZED (
  SELECT r.ord, r.lease, r.lease_amount, r.cached_tokens, r.partly_reserved, r.log, (r.log).request_id,
    (r.log).type, (r.log).user_id, (r.log).token_id, (r.log).quota, (r.log).bill
  FROM (
    SELECT unnest(string_to_array($5::text, E'\x1E')::request_logs[]) AS log, unnest($6::int[]) AS ord,
      unnest($7::text[]) AS lease, unnest($8::bigint[]) AS lease_amount, unnest($9::bigint[]) AS cached_tokens,
      unnest($10::boolean[]) AS partly_reserved
  ) r
), wish AS MATERIALIZED (
  SELECT * FROM json_to_recordset($12::json) AS r(ord int, id text, version int, user_id int, token_id int,
    limited boolean, keep bigint, target bigint, smallest bigint)
), payer AS MATERIALIZED (
  SELECT id, quota - reserved - leased AS free, status = 1 AND deleted_at IS NULL AS usable, budget, "group",
    CASE WHEN own_month_stops THEN NULLIF(own_month_limit, 0) END AS own_month, reserved + leased AS used, spent_day, day_quota, week_quota, month_quota
  FROM users WHERE id = ANY($3::int[]) ORDER BY id FOR NO KEY UPDATE
), token AS MATERIALIZED (
  SELECT id, user_id, status = 1 AND deleted_at IS NULL AS usable, unlimited_quota, remain_quota, budget,
    setting -> 'rates' AS rates, reserved + leased AS used, open_calls, spent_day, day_quota, week_quota, month_quota
  FROM tokens WHERE id = ANY($4::int[]) AND (SELECT count(*) FROM payer) >= 0 ORDER BY id FOR NO KEY UPDATE
), session AS MATERIALIZED (
  SELECT id, reserved, spent FROM session_budgets
  WHERE (id = ANY($15::int[]) OR id IN (
      SELECT v.session_id FROM reservations v WHERE v.request_id = ANY($11::text[])))
    AND (SELECT count(*) FROM token) >= 0
  ORDER BY id FOR NO KEY UPDATE
), derived_key AS MATERIALIZED (
  SELECT id, reserved, spent, revoked_at IS NOT NULL AS revoked FROM derived_keys
  WHERE id = ANY(ARRAY(SELECT unnest($17::text[])
      UNION SELECT unnest(v.derived_keys) FROM reservations v WHERE v.request_id = ANY($11::text[])))
    AND (SELECT count(*) FROM session) >= 0
  ORDER BY id FOR NO KEY UPDATE
), account_budget AS MATERIALIZED (
  -- The budget that the operator set for an account as a whole, otherwise that of its group.
  SELECT p.id, COALESCE(p.budget, g.budget) AS budget
  FROM payer p LEFT JOIN user_groups g ON g.symbol = p."group"
  WHERE COALESCE(p.budget, g.budget) IS NOT NULL OR p.own_month IS NOT NULL
), spend_limit AS MATERIALIZED (
  -- The table of limits, in the order in which they are checked: a row for each limit that an account (token_id 0) or a
  -- token has. Of a token, the smaller of its owner's limit and the operator's applies; 0 is no limit. What is reserved
  -- counts in the current period, so a call over midnight can only make a limit tighter.
  SELECT a.id AS user_id, 0 AS token_id, l.rank, l.refusal, l.unit, l.most, l.most - l.used AS free, l.ends
  FROM account_budget a
  JOIN payer p ON p.id = a.id
  CROSS JOIN clock k
  CROSS JOIN LATERAL (VALUES
    (1, 'account_month', 'points', NULLIF((a.budget ->> 'monthly_spend')::bigint, 0),
      p.used + CASE WHEN p.spent_day >= k.month THEN p.month_quota ELSE 0 END, k.month + interval '1 month'),
    (2, 'account_week', 'points', NULLIF((a.budget ->> 'weekly_spend')::bigint, 0),
      p.used + CASE WHEN p.spent_day >= k.week THEN p.week_quota ELSE 0 END, k.week + interval '7 days'),
    (3, 'account_day', 'points', NULLIF((a.budget ->> 'daily_spend')::bigint, 0),
      p.used + CASE WHEN p.spent_day >= k.day THEN p.day_quota ELSE 0 END, k.day + interval '1 day'),
    (9, 'own_month', 'points', p.own_month,
      p.used + CASE WHEN p.spent_day >= k.month THEN p.month_quota ELSE 0 END, k.month + interval '1 month')
  ) l(rank, refusal, unit, most, used, ends)
  WHERE l.most IS NOT NULL
  UNION ALL
  SELECT t.user_id, t.id, l.rank, l.refusal, l.unit, l.most, l.most - l.used, l.ends
  FROM token t
  CROSS JOIN clock k
  CROSS JOIN LATERAL (VALUES
    (4, 'token', 'points', CASE WHEN NOT t.unlimited_quota THEN t.remain_quota END, t.used, NULL),
    (5, 'day', 'points', LEAST(NULLIF((t.rates ->> 'daily_spend')::bigint, 0), NULLIF((t.budget ->> 'daily_spend')::bigint, 0)),
      t.used + CASE WHEN t.spent_day >= k.day THEN t.day_quota ELSE 0 END, k.day + interval '1 day'),
    (6, 'week', 'points', NULLIF((t.budget ->> 'weekly_spend')::bigint, 0),
      t.used + CASE WHEN t.spent_day >= k.week THEN t.week_quota ELSE 0 END, k.week + interval '7 days'),
    (7, 'month', 'points', LEAST(NULLIF((t.rates ->> 'monthly_spend')::bigint, 0), NULLIF((t.budget ->> 'monthly_spend')::bigint, 0)),
      t.used + CASE WHEN t.spent_day >= k.month THEN t.month_quota ELSE 0 END, k.month + interval '1 month'),
    (8, 'calls', 'calls', NULLIF(GREATEST((t.rates ->> 'concurrency')::bigint, 0), 0), t.open_calls::bigint, NULL)
  ) l(rank, refusal, unit, most, used, ends)
  WHERE l.most IS NOT NULL
), account_free AS MATERIALIZED (
  SELECT user_id AS id, min(free) AS free, min(free) FILTER (WHERE refusal <> 'own_month') AS operator_free
  FROM spend_limit WHERE token_id = 0 GROUP BY user_id
), token_free AS MATERIALIZED (
  SELECT token_id AS id, min(free) FILTER (WHERE unit = 'points') AS free,
    min(free) FILTER (WHERE refusal = 'token') AS quota_free, min(free) FILTER (WHERE unit = 'calls') AS calls_free,
    bool_or(refusal <> 'token') AS is_exact
  FROM spend_limit WHERE token_id <> 0 GROUP BY token_id
), own AS MATERIALIZED (
  DELETE FROM reservations v USING ending e
  WHERE v.request_id = ANY($11::text[]) AND (SELECT count(*) FROM derived_key) >= 0
    AND v.request_id = e.request_id AND v.user_id = e.user_id AND v.token_id = e.token_id AND v.version = 0
  RETURNING e.*, v.amount AS reserved, v.token_amount AS token_reserved, v.slots, true AS is_own, v.session_id, v.derived_keys
), lease AS MATERIALIZED (
  SELECT w.ord, w.id, w.user_id, w.token_id, w.limited, v.amount, v.charged, v.served, v.ended
  FROM wish w JOIN reservations v ON v.request_id = w.id
  WHERE v.request_id = ANY($13::text[]) AND v.version = w.version AND v.version > 0
    AND (SELECT count(*) FROM token) >= 0
  FOR UPDATE OF v
), ended AS MATERIALIZED (
  SELECT * FROM own
  UNION ALL
  SELECT e.*, e.lease_amount, CASE WHEN l.limited THEN e.lease_amount ELSE 0 END, 0, false, NULL, NULL
  FROM ending e JOIN lease l ON l.id = e.lease
), chargeable AS MATERIALIZED (
  -- What may be charged beyond the reservations: the rest of the balance and of the operator's budget. Limits that the
  -- owner sets for the account, a token or a session do not reduce a charge: they would make a call cheaper than it was.
  SELECT c.ord,
    GREATEST(0, LEAST(p.free, CASE WHEN NOT c.partly_reserved THEN b.operator_free END)
      + sum(CASE WHEN c.is_own THEN GREATEST(0, c.reserved - c.quota) ELSE 0 END) OVER account) AS points,
    sum(GREATEST(0, c.quota - c.reserved)) OVER (account ORDER BY c.ord) AS excess
  FROM ended c
  JOIN payer p ON p.id = c.user_id
  LEFT JOIN account_free b ON b.id = c.user_id
  WINDOW account AS (PARTITION BY c.user_id)
), closed AS MATERIALIZED (
  -- What is left of a reservation of its own is free again, of a share of a lease it stays in the lease. What cannot be
  -- charged is written into the bill.
  SELECT c.ord, c.cached_tokens, c.lease, c.slots, c.is_own, c.session_id, c.derived_keys, c.type, c.user_id, c.token_id, m.charge AS quota,
    CASE WHEN c.is_own THEN c.reserved ELSE LEAST(c.reserved, m.charge) END AS taken,
    CASE WHEN c.is_own THEN c.token_reserved ELSE LEAST(c.token_reserved, m.charge) END AS token_taken,
    CASE WHEN m.charge < c.quota
      THEN jsonb_populate_record(c.log, jsonb_build_object('quota', m.charge,
        'bill', COALESCE(c.bill, '{}') || jsonb_build_object('uncollected', (c.quota - m.charge)::text)))
      ELSE c.log END AS log
  FROM ended c
  LEFT JOIN chargeable r ON r.ord = c.ord
  CROSS JOIN LATERAL (SELECT CASE WHEN c.quota <= c.reserved THEN c.quota
    ELSE LEAST(c.quota, c.reserved + GREATEST(0, r.points - r.excess + GREATEST(0, c.quota - c.reserved)))::bigint
    END AS charge) m
), balance AS MATERIALIZED (
  -- What is free after the calls that end.
  SELECT p.id, p.usable, p.free + o.back AS free, b.id IS NOT NULL AS limited, b.free + o.back AS limit_free, o.back
  FROM payer p
  LEFT JOIN account_free b ON b.id = p.id
  LEFT JOIN (SELECT user_id, sum(taken - quota)::bigint AS back FROM closed GROUP BY user_id) c ON c.user_id = p.id
  CROSS JOIN LATERAL (SELECT COALESCE(c.back, 0) AS back) o
), purse AS MATERIALIZED (
  SELECT t.id, t.user_id, t.usable, l.free + o.back AS free, l.quota_free + o.back AS quota_free,
    l.calls_free + o.left AS calls_free, l.is_exact, o.back
  FROM token t
  LEFT JOIN token_free l ON l.id = t.id
  LEFT JOIN (
    SELECT token_id, sum(token_taken - quota)::bigint AS back, sum(slots)::int AS left FROM closed GROUP BY token_id
  ) c ON c.token_id = t.id
  CROSS JOIN LATERAL (SELECT COALESCE(c.back, 0) AS back, COALESCE(c.left, 0) AS left) o
), session_left AS MATERIALIZED (
  SELECT s.id, s.spent + COALESCE(c.charged, 0) AS spent, s.reserved - COALESCE(c.back, 0) AS reserved
  FROM session s LEFT JOIN (
    SELECT session_id, sum(taken)::bigint AS back, sum(quota)::bigint AS charged
    FROM closed WHERE session_id IS NOT NULL GROUP BY session_id
  ) c ON c.session_id = s.id
), beginning AS MATERIALIZED (
  SELECT * FROM json_to_recordset($14::json) AS r(ord int, request_id text, user_id int, token_id int,
    amount bigint, token_amount bigint, session_id int, session_limit bigint, derived_keys json)
), level AS MATERIALIZED (
  -- The derived keys of the calls that begin, with what they have left. All of a chain count each call.
  SELECT i.ord, i.user_id, i.token_id, i.amount, k.id, k.parent_id, k.root_id, k.label, k.quota, k.expires_at,
    d.id IS NULL AS is_new, d.revoked, k.quota - COALESCE(d.spent, 0) - COALESCE(c.charged, 0) AS unspent,
    k.quota - COALESCE(d.spent, 0) - COALESCE(c.charged, 0) - COALESCE(d.reserved, 0) + COALESCE(c.back, 0) AS free
  FROM beginning i
  CROSS JOIN LATERAL json_to_recordset(i.derived_keys)
    AS k(id text, parent_id text, root_id text, label text, quota bigint, expires_at timestamptz)
  LEFT JOIN derived_key d ON d.id = k.id
  LEFT JOIN (
    SELECT e.id, sum(c.taken)::bigint AS back, sum(c.quota)::bigint AS charged
    FROM closed c CROSS JOIN LATERAL unnest(c.derived_keys) AS e(id) GROUP BY e.id
  ) c ON c.id = k.id
), chain AS MATERIALIZED (
  -- What the derived keys of a call allow together, with the limits that a call of its amount exceeds.
  SELECT ord, min(root_id) AS root_id, bool_or(is_new) AS is_new, bool_or(revoked) IS TRUE AS revoked,
    min(quota) FILTER (WHERE amount > GREATEST(0, unspent)) AS spent_limit,
    min(quota) FILTER (WHERE amount > 0 AND amount > free) AS busy_limit
  FROM level GROUP BY ord
), decided AS MATERIALIZED (
  SELECT i.ord, i.request_id, i.user_id, i.token_id, i.amount, n.token_amount, n.slots, i.session_id, i.session_limit,
    h.is_new IS TRUE AS is_first, h.spent_limit, h.busy_limit, LEAST(p.free, p.limit_free) AS free, t.free AS token_free, t.calls_free,
    i.session_limit - s.spent - s.reserved AS session_free,
    CASE
      WHEN p.usable IS NOT TRUE THEN 'user'
      WHEN i.token_id <> 0 AND t.usable IS NOT TRUE THEN 'key'
      WHEN h.revoked THEN 'derived_revoked'
      WHEN i.amount > 0 AND i.amount > p.free THEN 'balance'
      WHEN i.amount > 0 AND i.amount > p.limit_free THEN (
        SELECT l.refusal FROM spend_limit l
        WHERE l.user_id = i.user_id AND l.token_id = 0 AND i.amount > l.free + p.back ORDER BY l.rank LIMIT 1)
      WHEN i.session_id IS NOT NULL AND i.amount > COALESCE(GREATEST(0, i.session_limit - s.spent), 0) THEN 'session'
      WHEN i.session_id IS NOT NULL AND i.amount > 0 AND i.amount > i.session_limit - s.spent - s.reserved
        THEN 'session_busy'
      WHEN n.token_amount > 0 AND n.token_amount > t.free THEN (
        SELECT l.refusal FROM spend_limit l
        WHERE l.token_id = t.id AND l.unit = 'points' AND n.token_amount > l.free + t.back ORDER BY l.rank LIMIT 1)
      WHEN n.slots > t.calls_free THEN 'calls'
      WHEN h.spent_limit IS NOT NULL THEN 'derived'
      WHEN h.busy_limit IS NOT NULL THEN 'derived_busy'
      WHEN h.is_new IS TRUE AND ((SELECT count(*) FROM derived_keys k WHERE k.token_id = i.token_id) >= 10000
        OR (SELECT count(*) FROM derived_keys k WHERE k.root_id = h.root_id) >= 2000) THEN 'derived_many'
    END AS refusal
  FROM beginning i
  LEFT JOIN balance p ON p.id = i.user_id
  LEFT JOIN purse t ON t.id = i.token_id AND t.user_id = i.user_id
  LEFT JOIN session_left s ON s.id = i.session_id
  LEFT JOIN chain h ON h.ord = i.ord
  CROSS JOIN LATERAL (SELECT
    CASE WHEN t.free IS NULL THEN 0 WHEN i.token_amount > 0 THEN i.token_amount ELSE i.amount END AS token_amount,
    CASE WHEN t.calls_free IS NULL THEN 0 ELSE 1 END AS slots) n
), crowded AS MATERIALIZED (
  -- Calls that a derived key does not cover together with the calls before them.
  SELECT ord FROM (
    SELECT k.ord, k.amount, k.free, sum(k.amount) OVER (PARTITION BY k.id ORDER BY k.ord) AS total
    FROM level k JOIN decided j ON j.ord = k.ord WHERE j.refusal IS NULL
  ) k WHERE amount > 0 AND total > free
), fitting AS MATERIALIZED (
  SELECT *,
    NOT is_first AND ord NOT IN (SELECT ord FROM crowded)
    AND (amount = 0 OR sum(amount) OVER (PARTITION BY user_id ORDER BY ord) <= free)
    AND (token_amount = 0 OR sum(token_amount) OVER (PARTITION BY token_id ORDER BY ord) <= token_free)
    AND (slots = 0 OR sum(slots) OVER (PARTITION BY token_id ORDER BY ord) <= calls_free)
    AND (session_id IS NULL OR amount = 0 OR sum(amount) OVER (PARTITION BY session_id ORDER BY ord) <= session_free)
    AS granted
  FROM decided WHERE refusal IS NULL
), reserved AS (
  INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, slots, node_id, session_id, session_limit,
    derived_keys)
  SELECT request_id, user_id, token_id, amount, token_amount, slots, $1, session_id, session_limit,
    (SELECT array_agg(k.id) FROM level k WHERE k.ord = f.ord)
  FROM fitting f WHERE granted ORDER BY ord
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, user_id, token_id, amount, token_amount, slots, session_id, derived_keys
), derived_key_inserted AS (
  INSERT INTO derived_keys (id, token_id, user_id, parent_id, root_id, label, quota, expires_at)
  SELECT DISTINCT ON (k.id) k.id, k.token_id, k.user_id, k.parent_id, k.root_id, k.label, k.quota,
    k.expires_at
  FROM level k JOIN fitting f ON f.ord = k.ord WHERE k.is_new
  ORDER BY k.id
  ON CONFLICT (id) DO NOTHING
), leased AS MATERIALIZED (
  -- The new state of each lease. Tokens with exact limits have no leases, and neither have accounts with few points:
  -- their calls are reserved one by one. A batch leases at most a sixteenth of what is free.
  SELECT w.*, b.base, b.usable, n.share, CASE
      WHEN w.keep IS NOT NULL THEN LEAST(b.base, w.keep)
      WHEN b.usable AND w.target > b.base THEN LEAST(w.target, b.base + n.share)
      ELSE b.base
    END AS points,
    w.version > 0 OR (b.usable AND w.keep IS NULL AND LEAST(w.target, n.share) >= w.smallest) AS there
  FROM (SELECT *, count(*) OVER (PARTITION BY user_id) AS beside FROM wish) w
  LEFT JOIN lease l ON l.id = w.id
  LEFT JOIN (SELECT lease, sum(taken)::bigint AS taken FROM closed WHERE lease IS NOT NULL GROUP BY lease) c
    ON c.lease = w.id
  LEFT JOIN balance p ON p.id = w.user_id
  LEFT JOIN purse t ON t.id = w.token_id AND t.user_id = w.user_id
  CROSS JOIN LATERAL (SELECT COALESCE(l.amount - l.charged, 0) - COALESCE(c.taken, 0) AS base,
    p.usable IS TRUE AND NOT p.limited AND (w.token_id = 0 OR (t.usable IS TRUE
      AND (t.quota_free IS NOT NULL) = w.limited AND t.is_exact IS NOT TRUE)) AS usable) b
  CROSS JOIN LATERAL (SELECT GREATEST(0, LEAST(
      p.free - (SELECT COALESCE(sum(f.amount), 0) FROM fitting f WHERE f.granted AND f.user_id = w.user_id),
      t.quota_free - (SELECT COALESCE(sum(f.token_amount), 0) FROM fitting f WHERE f.granted AND f.token_id = w.token_id))
    / (16 * w.beside))::bigint AS share) n
  WHERE w.version = 0 OR l.id IS NOT NULL
), lease_inserted AS (
  INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, slots, node_id, version)
  SELECT id, user_id, token_id, points, CASE WHEN limited THEN points ELSE 0 END, 0, $1, 1
  FROM leased WHERE there AND version = 0
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id
), lease_updated AS (
  UPDATE reservations v SET amount = d.points, token_amount = CASE WHEN d.limited THEN d.points ELSE 0 END,
    charged = 0, served = 0, ended = 0, version = v.version + 1
  FROM leased d
  WHERE v.request_id = ANY($13::text[]) AND v.request_id = d.id AND d.version > 0 AND d.keep IS DISTINCT FROM 0
), lease_deleted AS (
  DELETE FROM reservations v USING leased d
  WHERE v.request_id = ANY($13::text[]) AND v.request_id = d.id AND d.version > 0 AND d.keep = 0
), lease_changed AS MATERIALIZED (
  SELECT d.*, d.points - d.base AS change FROM leased d
  WHERE d.version > 0 OR EXISTS (SELECT FROM lease_inserted m WHERE m.request_id = d.id)
), moved AS MATERIALIZED (
  -- Every change of the counters of accounts and tokens.
  SELECT user_id, token_id, CASE WHEN is_own THEN -taken ELSE 0 END AS reserved, CASE WHEN is_own THEN 0 ELSE -taken END AS leased,
    CASE WHEN is_own THEN -token_taken ELSE 0 END AS token_reserved, CASE WHEN is_own THEN 0 ELSE -token_taken END AS token_leased,
    -slots AS slots, quota AS charge, CASE WHEN type = 2 THEN 1 ELSE 0 END AS served, 1 AS ended, 1 AS used
  FROM closed
  UNION ALL
  SELECT user_id, token_id, amount, 0, token_amount, 0, slots, 0, 0, 0, 1 FROM reserved
  UNION ALL
  SELECT user_id, token_id, 0, change, 0, CASE WHEN limited THEN change ELSE 0 END, 0, 0, 0, 0, 0 FROM lease_changed
  UNION ALL
  -- What the leases have charged since their last booking.
  SELECT user_id, token_id, 0, -charged, 0, CASE WHEN limited THEN -charged ELSE 0 END, 0, charged, served, ended, ended
  FROM lease
), move_session AS (
  UPDATE session_budgets b SET reserved = b.reserved + m.reserved, spent = b.spent + m.charge, used_at = now()
  FROM (
    SELECT session_id, sum(points)::bigint AS reserved, sum(charge)::bigint AS charge FROM (
      SELECT session_id, -taken AS points, quota AS charge FROM closed
      UNION ALL
      SELECT session_id, amount, 0 FROM reserved
    ) x WHERE session_id IS NOT NULL GROUP BY session_id
  ) m WHERE b.id = m.session_id
), move_derived_key AS (
  UPDATE derived_keys d SET reserved = d.reserved + m.reserved, spent = d.spent + m.charge, used_at = now()
  FROM (
    SELECT e.id, sum(x.points)::bigint AS reserved, sum(x.charge)::bigint AS charge FROM (
      SELECT derived_keys, -taken AS points, quota AS charge FROM closed
      UNION ALL
      SELECT derived_keys, amount, 0 FROM reserved
    ) x CROSS JOIN LATERAL unnest(x.derived_keys) AS e(id) GROUP BY e.id
  ) m WHERE d.id = ANY(ARRAY(SELECT id FROM derived_key)) AND d.id = m.id
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
), charge_channel AS (
  INSERT INTO channel_charges (channel_id, quota)
  SELECT (log).channel_id, sum(quota)::bigint FROM closed WHERE quota > 0 GROUP BY (log).channel_id
), use_quote AS (
  -- What a call cost above its quote is the operator's.
  UPDATE quotes q SET charged = c.quota, excess = COALESCE(((c.log).bill ->> 'uncollected')::bigint, 0)
  FROM closed c
  WHERE q.request_id = ANY($16::text[]) AND q.request_id = (c.log).request_id
), count_searches AS (
  -- The account is locked, so that no other batch writes the same row.
  INSERT INTO search_hours AS h (hour, user_id, token_id, channel_id, model, "group", search_count, quota)
  SELECT date_trunc('hour', (c.log).created_at, 'UTC'), c.user_id, c.token_id, (c.log).channel_id, (c.log).model_name, (c.log)."group",
    sum(s.searches)::bigint, sum(LEAST(c.quota, s.points))::bigint
  FROM closed c
  CROSS JOIN LATERAL (
    SELECT sum(l.amount) AS searches, ceil(sum(l.amount * l.ratio) * ((c.log).bill ->> 'group_ratio')::numeric) AS points
    FROM jsonb_to_recordset((c.log).bill -> 'lines') AS l(kind text, amount numeric, ratio numeric)
    WHERE l.kind = 'tool:gateway-search'
  ) s
  WHERE (c.log).request_id = ANY($18::text[]) AND s.searches > 0
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (hour, user_id, token_id, channel_id, model, "group") DO UPDATE SET
    search_count = h.search_count + excluded.search_count, quota = h.quota + excluded.quota
), log AS (
  -- The ID of a row is always generated.
  INSERT INTO request_logs OVERRIDING USER VALUE SELECT (log).* FROM closed ORDER BY ord
), hours AS (
  INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
    quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
  SELECT date_trunc('hour', (log).created_at, 'UTC'), user_id, token_id, (log).channel_id, (log).model_name, (log)."group",
    count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota)::bigint,
    sum((log).prompt_tokens)::bigint, sum((log).completion_tokens)::bigint, sum(cached_tokens)::bigint,
    COALESCE(sum((log).request_time) FILTER (WHERE type = 2), 0),
    COALESCE(sum((log).first_byte_time) FILTER (WHERE type = 2), 0), $2::smallint
  FROM closed
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (hour, user_id, token_id, channel_id, model, "group", part) DO UPDATE SET
    request_count = h.request_count + excluded.request_count,
    failed_count = h.failed_count + excluded.failed_count,
    quota = h.quota + excluded.quota,
    prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = h.completion_tokens + excluded.completion_tokens,
    cached_tokens = h.cached_tokens + excluded.cached_tokens,
    request_time = h.request_time + excluded.request_time,
    first_byte_time = h.first_byte_time + excluded.first_byte_time
)
SELECT ord, 'settled' AS verdict, quota AS most, NULL::timestamptz AS until FROM closed
UNION ALL
SELECT j.ord, CASE
    WHEN j.refusal IS NOT NULL THEN j.refusal
    WHEN NOT f.granted THEN 'again'
    WHEN r.request_id IS NULL THEN 'taken'
    ELSE 'granted'
  END,
  CASE
    WHEN j.refusal IS NULL THEN NULL
    WHEN j.refusal IN ('session', 'session_busy') THEN j.session_limit
    WHEN j.refusal = 'derived' THEN j.spent_limit
    WHEN j.refusal = 'derived_busy' THEN j.busy_limit
    WHEN j.refusal = 'balance' THEN (
      SELECT sum(v.amount - v.charged)::bigint FROM reservations v WHERE v.user_id = j.user_id AND v.version > 0)
    WHEN j.refusal = 'token' THEN (
      SELECT sum(v.token_amount - v.charged)::bigint FROM reservations v
      WHERE v.user_id = j.user_id AND v.token_id = j.token_id AND v.version > 0 AND v.token_amount > 0)
    ELSE (SELECT l.most FROM spend_limit l
      WHERE l.user_id = j.user_id AND l.token_id IN (0, j.token_id) AND l.refusal = j.refusal)
  END,
  CASE WHEN j.refusal IS NOT NULL THEN (SELECT l.ends::timestamp AT TIME ZONE k.zone FROM spend_limit l, clock k
    WHERE l.user_id = j.user_id AND l.token_id IN (0, j.token_id) AND l.refusal = j.refusal) END
FROM decided j
LEFT JOIN fitting f ON f.ord = j.ord
LEFT JOIN reserved r ON r.request_id = j.request_id
UNION ALL
SELECT ord, CASE WHEN usable THEN 'lease' ELSE 'stale' END, points, NULL FROM lease_changed
UNION ALL
SELECT ord, 'denied', 0, NULL FROM leased WHERE NOT there
