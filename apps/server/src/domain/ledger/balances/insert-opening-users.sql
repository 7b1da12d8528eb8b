-- $1 JSON array of rows of `users`; points as text. Inserts imported accounts with their balance and usage.
WITH given AS (SELECT * FROM jsonb_populate_recordset(NULL::users, $1::jsonb)),
staged AS (INSERT INTO opening_users SELECT id, quota, used_quota FROM given)
INSERT INTO users (id, username, password_hash, display_name, role, status, email, avatar_url, "group", quota, used_quota,
  request_count, access_token_hash, aff_code, inviter_id, aff_count, aff_quota, aff_history, language, last_login_time,
  last_login_ip, created_time, deleted_at, budget)
SELECT id, username, password_hash, display_name, role, status, email, avatar_url, "group", quota, used_quota,
  request_count, access_token_hash, aff_code, inviter_id, aff_count, aff_quota, aff_history, language, last_login_time,
  last_login_ip, created_time, deleted_at, budget
FROM given
