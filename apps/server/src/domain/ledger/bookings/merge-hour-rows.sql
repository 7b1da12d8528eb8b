-- Merges the rows that several nodes have written to the roll-up of the hours from $1 to $2.
WITH parts AS (
  DELETE FROM usage_hours WHERE hour >= $1 AND hour < $2 AND (hour, user_id, token_id, channel_id, model, "group") IN (
    SELECT hour, user_id, token_id, channel_id, model, "group" FROM usage_hours WHERE hour >= $1 AND hour < $2
    GROUP BY hour, user_id, token_id, channel_id, model, "group" HAVING count(*) > 1)
  RETURNING *
)
INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
SELECT hour, user_id, token_id, channel_id, model, "group", sum(request_count), sum(failed_count), sum(quota), sum(prompt_tokens),
  sum(completion_tokens), sum(cached_tokens), sum(request_time), sum(first_byte_time), min(part)
FROM parts GROUP BY hour, user_id, token_id, channel_id, model, "group"
