-- Copies the rows of the log from $1 (inclusive) to $2 (exclusive) into request_logs_compact, with the facts of their
-- bills and attempts in the short form. A bill or an attempt that this form cannot express exactly is copied as it is.
--
-- `bill_facts`: price type, group ratio, then kind, amount and ratio of each line. The sum is computed from them, so it
-- must be the stored one, digit by digit. `attempt_facts`: the only attempt of a call that succeeded at its channel with
-- the status of the call. Duration, begin, priority, ID at the provider ("-" if unknown), and the name of the channel.
INSERT INTO request_logs_compact
WITH compact AS MATERIALIZED (
  SELECT jsonb_populate_record(l,
    CASE WHEN b.facts IS NULL THEN '{}' ELSE jsonb_build_object('bill', NULL, 'bill_facts', b.facts) END
    || CASE WHEN a.facts IS NULL THEN '{}' ELSE jsonb_build_object('attempts', NULL, 'attempt_facts', a.facts) END) AS log
  FROM request_logs l
  LEFT JOIN LATERAL (
    SELECT concat_ws(' ', l.bill ->> 'price_type', l.bill ->> 'group_ratio',
      string_agg(concat_ws(' ', x.kind, x.amount, x.ratio), ' ' ORDER BY x.place)) AS facts
    FROM (
      SELECT place, line ->> 'kind' AS kind, line ->> 'amount' AS amount, line ->> 'ratio' AS ratio,
        line - '{kind,amount,ratio}'::text[] = '{}' AND line ->> 'kind' ~ '^[a-z0-9_:.-]+$'
          AND line ->> 'amount' ~ '^\d{1,16}$' AND line ->> 'ratio' ~ '^\d+(\.\d+)?$' AS is_plain
      FROM jsonb_array_elements(CASE jsonb_typeof(l.bill -> 'lines') WHEN 'array' THEN l.bill -> 'lines' END)
        WITH ORDINALITY AS e(line, place)
    ) x
    HAVING l.bill - '{price_type,group_ratio,lines,exact}'::text[] = '{}'
      AND l.bill ->> 'price_type' ~ '^[a-z]+$'
      AND COALESCE(bool_and(x.is_plain), true)
      AND l.bill ->> 'exact' = trim_scale(
        COALESCE(sum(CASE WHEN x.is_plain THEN x.amount::numeric * x.ratio::numeric END), 0)
        * CASE WHEN l.bill ->> 'group_ratio' ~ '^\d+(\.\d+)?$' THEN (l.bill ->> 'group_ratio')::numeric END)::text
  ) b ON true
  LEFT JOIN LATERAL (
    SELECT concat_ws(' ', n.note ->> 'duration', COALESCE(n.note ->> 'begun', '-'), COALESCE(n.note ->> 'priority', '-'),
      COALESCE(n.note ->> 'upstream_request_id', '-'), n.note ->> 'channel_name') AS facts
    FROM (SELECT CASE jsonb_typeof(l.attempts) WHEN 'array'
      THEN CASE jsonb_array_length(l.attempts) WHEN 1 THEN l.attempts -> 0 END END AS note) n
    WHERE n.note
        - '{channel_id,channel_name,result,status,duration,message,begun,priority,upstream_request_id}'::text[] = '{}'
      AND n.note ->> 'result' = 'ok' AND n.note ->> 'message' = '' AND n.note ? 'channel_name'
      AND n.note ->> 'channel_id' = l.channel_id::text AND n.note ->> 'status' = l.status::text
      AND n.note ->> 'duration' ~ '^\d{1,15}$'
      AND COALESCE(n.note ->> 'begun', '0') ~ '^\d{1,15}$' AND COALESCE(n.note ->> 'priority', '0') ~ '^-?\d{1,15}$'
      AND COALESCE(n.note ->> 'upstream_request_id', 'none') ~ '^[!-~]{2,}$'
  ) a ON true
  WHERE l.created_at >= $1 AND l.created_at < $2
  ORDER BY l.created_at, l.id
)
SELECT (log).* FROM compact
