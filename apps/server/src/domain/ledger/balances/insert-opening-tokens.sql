-- $1 JSON array of rows of `tokens`; points as text. Inserts imported tokens with their usage.
WITH given AS (
  SELECT t.*, o.id IS NOT NULL AS owned
  FROM jsonb_populate_recordset(NULL::tokens, $1::jsonb) t LEFT JOIN users o ON o.id = t.user_id
), stored AS (
  INSERT INTO tokens (id, user_id, name, key_hash, key_encrypted, key_hint, status, created_time, accessed_time,
    expired_time, unlimited_quota, remain_quota, used_quota, "group", backup_group, setting, billing_tag, budget, deleted_at)
  SELECT id, user_id, name, key_hash, key_encrypted, key_hint, status, created_time, accessed_time,
    expired_time, unlimited_quota, remain_quota, used_quota, "group", backup_group, setting, billing_tag, budget, deleted_at
  FROM given WHERE owned ON CONFLICT DO NOTHING RETURNING id, user_id, used_quota
), staged AS (INSERT INTO opening_tokens SELECT id, user_id, used_quota FROM stored WHERE used_quota <> 0)
SELECT g.id, g.owned, s.id IS NOT NULL AS stored FROM given g LEFT JOIN stored s USING (id)
