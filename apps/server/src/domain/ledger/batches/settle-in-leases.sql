-- Charges calls that end in leases, none above what it has reserved, with no lease to refill or to return: the usual batch
-- of busy tokens. It writes the rows of the leases and locks nothing that other nodes write. See book-charges.sql.
--
--   $1 the node's rows in the roll-up   $2 account IDs          $3 token IDs
--   $4 log rows, separated by \x1E; $5 to $7 belong to them:
--   $5 index of the operation           $6 lease                $7 cached tokens
--   $8 leases (LeaseRequest)            $9 lease IDs
--
-- Returns `settled` for each call, and for each lease its points. A lease is `stale` if its token is no longer eligible:
-- limits on spending and on concurrent calls are exact only without leases. Their fields end as the pattern below says.
WITH ending AS MATERIALIZED (
  SELECT r.ord, r.lease, r.cached_tokens, r.log
  FROM (
    SELECT unnest(string_to_array($4::text, E'\x1E')::request_logs[]) AS log, unnest($5::int[]) AS ord,
      unnest($6::text[]) AS lease, unnest($7::bigint[]) AS cached_tokens
  ) r
), wish AS MATERIALIZED (
  SELECT * FROM json_to_recordset($8::json) AS r(ord int, id text, version int, user_id int, token_id int, limited boolean)
), payer AS MATERIALIZED (
  SELECT u.id, u.status = 1 AND u.deleted_at IS NULL AND (COALESCE(u.budget, g.budget)
      @? '$.keyvalue() ? (@.key like_regex "(_spend|concurrency)$" && @.value > 0)') IS NOT TRUE
    AND NOT (u.own_month_stops AND u.own_month_limit > 0) AS may_lease
  FROM users u LEFT JOIN user_groups g ON g.symbol = u."group"
  WHERE u.id = ANY($2::int[])
), purse AS MATERIALIZED (
  SELECT id, user_id, unlimited_quota, status = 1 AND deleted_at IS NULL
    AND (budget @? '$.keyvalue() ? (@.key like_regex "(_spend|concurrency)$" && @.value > 0)') IS NOT TRUE
    AND (setting -> 'rates' @? '$.keyvalue() ? (@.key like_regex "(_spend|concurrency)$" && @.value > 0)') IS NOT TRUE
    AS may_lease
  FROM tokens WHERE id = ANY($3::int[])
), lease AS MATERIALIZED (
  SELECT w.ord, w.id, w.user_id, w.token_id, w.limited, v.amount - v.charged AS points
  FROM wish w JOIN reservations v ON v.request_id = w.id
  WHERE v.request_id = ANY($9::text[]) AND v.version = w.version AND v.version > 0
  ORDER BY v.request_id FOR UPDATE OF v
), closed AS MATERIALIZED (
  SELECT c.ord, c.lease, c.cached_tokens, c.log, (c.log).type, (c.log).quota
  FROM ending c JOIN lease l ON l.id = c.lease
), cost AS MATERIALIZED (
  SELECT lease, sum(quota)::bigint AS charge, count(*) FILTER (WHERE type = 2)::int AS served, count(*)::int AS ended
  FROM closed GROUP BY lease
), charge_lease AS (
  UPDATE reservations v SET charged = v.charged + c.charge, served = v.served + c.served, ended = v.ended + c.ended,
    version = v.version + 1
  FROM cost c WHERE v.request_id = ANY($9::text[]) AND v.request_id = c.lease
), charge_channel AS (
  INSERT INTO channel_charges (channel_id, quota)
  SELECT (log).channel_id, sum(quota)::bigint FROM closed WHERE quota > 0 GROUP BY (log).channel_id
), log AS (
  -- The ID of a row is always generated.
  INSERT INTO request_logs OVERRIDING USER VALUE SELECT (log).* FROM closed ORDER BY ord
), hours AS (
  INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
    quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
  SELECT date_trunc('hour', (log).created_at, 'UTC'), (log).user_id, (log).token_id, (log).channel_id, (log).model_name,
    (log)."group", count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota)::bigint,
    sum((log).prompt_tokens)::bigint, sum((log).completion_tokens)::bigint, sum(cached_tokens)::bigint,
    COALESCE(sum((log).request_time) FILTER (WHERE type = 2), 0),
    COALESCE(sum((log).first_byte_time) FILTER (WHERE type = 2), 0), $1::smallint
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
SELECT ord, 'settled' AS verdict, quota AS most FROM closed
UNION ALL
SELECT l.ord, CASE WHEN p.may_lease AND (l.token_id = 0
    OR (t.may_lease AND t.user_id = l.user_id AND t.unlimited_quota <> l.limited)) THEN 'lease' ELSE 'stale' END,
  l.points - c.charge
FROM lease l
JOIN cost c ON c.lease = l.id
LEFT JOIN payer p ON p.id = l.user_id
LEFT JOIN purse t ON t.id = l.token_id
