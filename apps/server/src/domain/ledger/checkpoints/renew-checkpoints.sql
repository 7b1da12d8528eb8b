-- $1 checkpoints with their request IDs, $2 the IDs, $3 node. Replaces the checkpoints of reservations that still exist. It
-- skips locked rows: a reservation that is being closed needs none.
WITH there AS MATERIALIZED (
  SELECT request_id FROM reservations
  WHERE request_id = ANY($2::text[]) AND node_id = $3 AND version = 0 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE reservations v SET checkpoint = i.checkpoint
FROM there t JOIN json_to_recordset($1::json) AS i(request_id text, checkpoint jsonb) ON i.request_id = t.request_id
WHERE v.request_id = ANY($2::text[]) AND v.request_id = t.request_id
