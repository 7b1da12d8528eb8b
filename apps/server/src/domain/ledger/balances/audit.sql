-- Compares every balance with its ledger entries and charges. One statement reads one snapshot: a call that settles
-- meanwhile is in all of the sums or in none.
WITH credits AS (SELECT user_id AS id, sum(amount) AS points FROM ledger_entries GROUP BY 1),
charges AS (SELECT user_id AS id, sum(quota) AS points FROM usage_sums('-infinity', 'infinity') GROUP BY 1),
token_charges AS (SELECT token_id AS id, sum(quota) AS points FROM usage_sums('-infinity', 'infinity') GROUP BY 1),
held AS (SELECT user_id AS id, sum(amount) FILTER (WHERE version = 0) AS points,
  sum(amount) FILTER (WHERE version > 0) AS leased, sum(charged) AS unbooked FROM reservations GROUP BY 1),
token_held AS (SELECT token_id AS id, sum(token_amount) FILTER (WHERE version = 0) AS points,
  sum(token_amount) FILTER (WHERE version > 0) AS leased, sum(slots) AS slots, sum(charged) AS unbooked
  FROM reservations GROUP BY 1),
derived_held AS (SELECT token_id AS id, sum(amount * cardinality(derived_keys)) AS points
  FROM reservations WHERE derived_keys IS NOT NULL GROUP BY 1),
derived AS (SELECT token_id AS id, sum(reserved) AS points FROM derived_keys GROUP BY 1),
books AS (
  SELECT b.what, u.id, b.expected::bigint AS expected, b.actual
  FROM users u
  LEFT JOIN credits USING (id) LEFT JOIN charges USING (id) LEFT JOIN held USING (id)
  CROSS JOIN LATERAL (VALUES
    ('user-quota', COALESCE(credits.points, 0) - COALESCE(charges.points, 0) + COALESCE(held.unbooked, 0), u.quota),
    ('user-used', COALESCE(charges.points, 0) - COALESCE(held.unbooked, 0), u.used_quota),
    ('user-reserved', COALESCE(held.points, 0), u.reserved),
    ('user-leased', COALESCE(held.leased, 0), u.leased)
  ) b(what, expected, actual)
  UNION ALL
  SELECT b.what, t.id, b.expected::bigint, b.actual
  FROM tokens t LEFT JOIN token_charges USING (id) LEFT JOIN token_held USING (id)
  LEFT JOIN derived_held USING (id) LEFT JOIN derived USING (id)
  CROSS JOIN LATERAL (VALUES
    ('token-used', COALESCE(token_charges.points, 0) - COALESCE(token_held.unbooked, 0), t.used_quota),
    ('token-reserved', COALESCE(token_held.points, 0), t.reserved),
    ('token-leased', COALESCE(token_held.leased, 0), t.leased),
    ('token-calls', COALESCE(token_held.slots, 0), t.open_calls),
    ('token-derived', COALESCE(derived_held.points, 0), COALESCE(derived.points, 0)::bigint)
  ) b(what, expected, actual)
)
SELECT c.checked, b.what, b.id, b.expected, b.actual
FROM (SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM tokens) AS checked) c
LEFT JOIN books b ON b.expected <> b.actual
ORDER BY b.what, b.id
