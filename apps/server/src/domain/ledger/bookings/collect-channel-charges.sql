-- Adds the rows that batches have appended to `channel_charges` to `channels.used_quota`, each exactly once. Rows of a
-- locked channel stay until the next run.
WITH free AS MATERIALIZED (
  SELECT id FROM channels WHERE id IN (SELECT channel_id FROM channel_charges)
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM channel_charges h
  WHERE h.channel_id IN (SELECT id FROM free) OR NOT EXISTS (SELECT FROM channels c WHERE c.id = h.channel_id)
  RETURNING channel_id, quota
)
UPDATE channels c SET used_quota = c.used_quota + s.quota
FROM (SELECT channel_id, sum(quota)::bigint AS quota FROM taken GROUP BY channel_id) s
WHERE c.id = s.channel_id
