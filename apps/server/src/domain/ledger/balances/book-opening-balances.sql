-- Books the balances of imported accounts.
--
--   $1 source   $2 reason   $3 hour of the usage without details   $4 its model name
WITH spent AS (SELECT user_id AS id, sum(used) AS points FROM opening_tokens GROUP BY 1),
known AS (SELECT user_id AS id, sum(quota) AS points FROM usage_hours GROUP BY 1),
sums AS (
  SELECT o.id, o.balance, COALESCE(spent.points, 0) AS by_tokens, COALESCE(known.points, 0) AS by_hours,
    GREATEST(o.used, COALESCE(spent.points, 0), COALESCE(known.points, 0)) AS used
  FROM opening_users o LEFT JOIN spent USING (id) LEFT JOIN known USING (id)
), entries AS (
  INSERT INTO ledger_entries (user_id, kind, amount, reference, reason)
  SELECT id, 'import', balance + used, $1 || ':user:' || id, $2 FROM sums WHERE balance + used <> 0
), rest AS (
  INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", quota)
  SELECT $3::timestamptz, s.id, 0, 0, $4, u."group", s.used - s.by_hours - s.by_tokens
  FROM sums s JOIN users u USING (id) WHERE s.used <> s.by_hours + s.by_tokens
), of_tokens AS (
  INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", quota)
  SELECT $3::timestamptz, t.user_id, t.id, 0, $4, u."group", t.used
  FROM opening_tokens t JOIN users u ON u.id = t.user_id WHERE t.used <> 0
)
UPDATE users u SET used_quota = s.used FROM sums s WHERE s.id = u.id AND u.used_quota <> s.used
