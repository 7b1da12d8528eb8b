-- Charges a call that is alone in its batch and ends within its lease, as on a quiet gateway. The function is in the
-- migration settle_call_in_lease. It writes what settle-in-leases.sql writes, in less than half the time: Postgres sets
-- up a few small plans faster than one large one.
--
--   $1 log row   $2 the node's rows in the roll-up   $3 cached tokens
--   $4 lease     $5 its version                      $6 whether it counts against the token's quota
SELECT ord, verdict, most
FROM settle_call_in_lease($1::request_logs, $2::smallint, $3::bigint, $4::text, $5::int, $6::boolean)
