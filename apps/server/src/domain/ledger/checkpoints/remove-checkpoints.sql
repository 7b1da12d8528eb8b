-- $1 request IDs. Removes unreadable checkpoints. The next release then frees these calls without a charge.
UPDATE reservations SET checkpoint = NULL WHERE request_id = ANY($1::text[])
