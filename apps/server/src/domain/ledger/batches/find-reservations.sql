-- $1 request IDs, $2 node. Returns the reservations that exist.
SELECT request_id FROM reservations WHERE request_id = ANY($1::text[]) AND node_id = $2
