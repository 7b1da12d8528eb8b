-- Moves the reserved points of calls from their leases into reservations of their own, with the first checkpoint. A lease
-- in another version is left unchanged, so each split happens once.
--
--   $1 first checkpoints (SplitRequest)   $2 account IDs   $3 token IDs   $4 lease IDs
--
-- Returns the remaining points of each lease, and NULL for each call that has its own reservation now.
WITH request AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json)
    AS r(request_id text, lease text, version int, limited boolean, amount bigint, checkpoint jsonb)
), payer AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE
), locked AS MATERIALIZED (
  SELECT id FROM tokens WHERE id = ANY($3::int[]) AND (SELECT count(*) FROM payer) >= 0 ORDER BY id FOR NO KEY UPDATE
), lease AS MATERIALIZED (
  SELECT v.request_id AS id, v.user_id, v.token_id, v.node_id
  FROM (SELECT lease, version, sum(amount) AS points FROM request GROUP BY 1, 2) w
  JOIN reservations v ON v.request_id = w.lease
  WHERE v.request_id = ANY($4::text[]) AND v.version = w.version AND v.version > 0 AND v.amount - v.charged >= w.points
    AND (SELECT count(*) FROM locked) >= 0
  FOR UPDATE OF v
), inserted AS (
  INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, node_id, checkpoint)
  SELECT a.request_id, l.user_id, l.token_id, a.amount, CASE WHEN a.limited THEN a.amount ELSE 0 END, l.node_id, a.checkpoint
  FROM request a JOIN lease l ON l.id = a.lease
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, amount, token_amount
), taken AS MATERIALIZED (
  SELECT l.id, l.user_id, l.token_id, sum(m.amount)::bigint AS points, sum(m.token_amount)::bigint AS token_points
  FROM inserted m JOIN request a ON a.request_id = m.request_id JOIN lease l ON l.id = a.lease
  GROUP BY 1, 2, 3
), left_over AS (
  UPDATE reservations v SET amount = v.amount - t.points, token_amount = v.token_amount - t.token_points,
    version = v.version + 1
  FROM taken t WHERE v.request_id = ANY($4::text[]) AND v.request_id = t.id
  RETURNING v.request_id, v.amount - v.charged AS amount
), move_user AS (
  UPDATE users u SET reserved = u.reserved + s.points, leased = u.leased - s.points
  FROM (SELECT user_id, sum(points)::bigint AS points FROM taken GROUP BY 1) s
  WHERE u.id = s.user_id AND s.points > 0
), move_token AS (
  UPDATE tokens t SET reserved = t.reserved + s.points, leased = t.leased - s.points
  FROM (SELECT token_id, sum(token_points)::bigint AS points FROM taken GROUP BY 1) s
  WHERE t.id = s.token_id AND s.points > 0
)
SELECT request_id AS id, amount AS points FROM left_over
UNION ALL
SELECT request_id, NULL FROM inserted
