-- Moves the hours of the day of UTC that begins at $1 from usage_hours to usage_days. Hours with a counter that is too
-- large for an array of integers stay where they are.
WITH moved AS (
  DELETE FROM usage_hours WHERE hour >= $1 AND hour < $1 + interval '24 hours'
    AND LEAST(request_count, failed_count, quota, prompt_tokens, completion_tokens, cached_tokens, request_time,
      first_byte_time) >= 0
    AND GREATEST(request_count, failed_count, quota, prompt_tokens, completion_tokens, cached_tokens, request_time,
      first_byte_time) <= 2147483647
  RETURNING *, extract(hour FROM hour AT TIME ZONE 'UTC')::int AS hour_of_day
)
INSERT INTO usage_days (day, request_count, failed_count, quota, prompt_tokens, completion_tokens, cached_tokens,
  request_time, first_byte_time, user_id, token_id, channel_id, model, "group", hours)
SELECT $1, sum(request_count), sum(failed_count), sum(quota), sum(prompt_tokens), sum(completion_tokens),
  sum(cached_tokens), sum(request_time), sum(first_byte_time), user_id, token_id, channel_id, model, "group",
  CASE WHEN count(*) = 1 THEN ARRAY[ARRAY[min(hour_of_day)]] ELSE array_agg(ARRAY[hour_of_day, request_count::int,
    failed_count::int, quota::int, prompt_tokens::int, completion_tokens::int, cached_tokens::int, request_time::int,
    first_byte_time::int] ORDER BY hour) END
FROM moved GROUP BY user_id, token_id, channel_id, model, "group" ORDER BY user_id, token_id, channel_id, model, "group"
