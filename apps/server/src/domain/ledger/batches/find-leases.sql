-- $1 lease IDs, $2 node. Returns the current state of these leases, if they exist.
SELECT request_id, amount - charged AS amount, version FROM reservations
WHERE request_id = ANY($1::text[]) AND node_id = $2
