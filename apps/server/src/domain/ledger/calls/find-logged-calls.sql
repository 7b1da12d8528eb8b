-- $1 request IDs, $2 creation times, in parallel arrays. Returns the calls that have a log row, with their outcome.
SELECT l.request_id, l.outcome FROM unnest($1::text[], $2::timestamptz[]) AS w(request_id, created_at)
JOIN request_logs l ON l.created_at = w.created_at AND l.request_id = w.request_id
