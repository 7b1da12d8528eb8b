-- $1 past charges as JSON. Adds those of imported accounts to the hours.
INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens,
  completion_tokens, request_time)
SELECT r.hour, r.user_id, r.token_id, r.channel_id, r.model, r."group", r.requests, r.quota, r.prompt, r.completion, r.ms
FROM jsonb_to_recordset($1::jsonb) AS r(hour timestamptz, user_id int, token_id int, channel_id int, model text,
  "group" text, requests bigint, quota bigint, prompt bigint, completion bigint, ms bigint)
JOIN opening_users u ON u.id = r.user_id
ON CONFLICT (hour, user_id, token_id, channel_id, model, "group", part) DO UPDATE SET
  request_count = usage_hours.request_count + excluded.request_count, quota = usage_hours.quota + excluded.quota,
  prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
  completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens,
  request_time = usage_hours.request_time + excluded.request_time
