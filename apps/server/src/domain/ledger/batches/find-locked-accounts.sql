-- $1 account IDs, $2 token IDs. Returns the accounts that cannot be charged now, because their row or the row of one of
-- these tokens is locked. It does not wait for locks.
WITH free_users AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), free_tokens AS MATERIALIZED (
  SELECT id FROM tokens WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
SELECT id FROM users WHERE id = ANY($1::int[]) AND id NOT IN (SELECT id FROM free_users)
UNION
SELECT user_id FROM tokens WHERE id = ANY($2::int[]) AND id NOT IN (SELECT id FROM free_tokens)
