-- Logs calls that never had a reservation.
--
--   $1 the node's rows in the roll-up   $2 log rows, separated by \x1E   $3 cached tokens of these rows
WITH refused AS MATERIALIZED (
  SELECT unnest(string_to_array($2::text, E'\x1E')::request_logs[]) AS log, unnest($3::bigint[]) AS cached_tokens
), log AS (
  -- The ID of a row is always generated.
  INSERT INTO request_logs OVERRIDING USER VALUE SELECT (log).* FROM refused
)
INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
  quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
SELECT date_trunc('hour', (log).created_at, 'UTC'), (log).user_id, (log).token_id, (log).channel_id, (log).model_name,
  (log)."group", count(*) FILTER (WHERE (log).type = 2), count(*) FILTER (WHERE (log).type = 5), sum((log).quota)::bigint,
  sum((log).prompt_tokens)::bigint, sum((log).completion_tokens)::bigint, sum(cached_tokens)::bigint,
  COALESCE(sum((log).request_time) FILTER (WHERE (log).type = 2), 0),
  COALESCE(sum((log).first_byte_time) FILTER (WHERE (log).type = 2), 0), $1::smallint
FROM refused
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
