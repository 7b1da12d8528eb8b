import { logColumns } from "#domain/logs/record.ts";

/**
 * The ledger's SQL. Every statement locks in one order (users, tokens, channels, each by id, then reservations and
 * roll-ups), so that any number of nodes cannot deadlock; and each is atomic by being one statement.
 *
 * A locking CTE is forced to run before the next one by a condition on its row count: Postgres evaluates a CTE only
 * when something asks for it.
 */

export interface Statement {
  /** Prepared once per connection under this name. */
  name: string;
  text: string;
}

const columns = Object.keys(logColumns)
  .map((name) => `"${name}"`)
  .join(", ");

const recordset = `json_to_recordset($1::json) AS r(ord int, cached_tokens bigint, ${Object.entries(
  logColumns,
)
  .map(([name, type]) => `"${name}" ${type}`)
  .join(", ")})`;

const usageHours = (source: string) => `
  INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
    quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time)
  SELECT date_trunc('hour', created_at, 'UTC'), user_id, token_id, channel_id, model_name, "group",
    count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota)::bigint,
    sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(cached_tokens)::bigint,
    sum(request_time), sum(first_byte_time)
  FROM ${source}
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (hour, user_id, token_id, channel_id, model, "group") DO UPDATE SET
    request_count = h.request_count + excluded.request_count,
    failed_count = h.failed_count + excluded.failed_count,
    quota = h.quota + excluded.quota,
    prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = h.completion_tokens + excluded.completion_tokens,
    cached_tokens = h.cached_tokens + excluded.cached_tokens,
    request_time = h.request_time + excluded.request_time,
    first_byte_time = h.first_byte_time + excluded.first_byte_time`;

/** The periods of a token's spending limits begin at midnight UTC; the database's clock is the one for all nodes. */
const today = "(now() AT TIME ZONE 'UTC')::date";
const thisMonth = "date_trunc('month', now() AT TIME ZONE 'UTC')::date";

/**
 * $1 rows, $2 node, $3 user ids, $4 token ids. One verdict per row, in order:
 * granted · again (fits, but not beside the others of this statement) · taken (that request id is reserved already) ·
 * balance · token · day · month · calls · user · key; `most` is the limit that a refusal speaks of.
 * The sums run over every row that would fit alone, so the first of those is granted and `again` makes progress.
 * What a token may do is read from its locked row, not from what the caller remembers. Open calls hold their points
 * against the period that is, so a call over midnight can only make a limit tighter.
 */
export const reserveStatement: Statement = {
  name: "ledger-reserve",
  text: `
WITH input AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json)
    AS r(ord int, request_id text, user_id int, token_id int, amount bigint, token_amount bigint)
), payer AS MATERIALIZED (
  SELECT id, quota - reserved AS free, status = 1 AND deleted_at IS NULL AS usable
  FROM users WHERE id = ANY($3::int[]) ORDER BY id FOR NO KEY UPDATE
), locked AS MATERIALIZED (
  SELECT id, user_id, unlimited_quota, remain_quota, reserved, open_calls, spent_day, day_quota, spent_month,
    month_quota, setting -> 'rates' AS rates, status = 1 AND deleted_at IS NULL AS usable
  FROM tokens WHERE id = ANY($4::int[]) AND (SELECT count(*) FROM payer) >= 0 ORDER BY id FOR NO KEY UPDATE
), purse AS MATERIALIZED (
  SELECT t.id, t.user_id, t.usable, l.per_day, l.per_month, l.at_once,
    CASE WHEN NOT t.unlimited_quota THEN t.remain_quota - t.reserved END AS quota_free,
    CASE WHEN l.per_day > 0
      THEN l.per_day - t.reserved - CASE WHEN t.spent_day >= ${today} THEN t.day_quota ELSE 0 END END AS day_free,
    CASE WHEN l.per_month > 0
      THEN l.per_month - t.reserved - CASE WHEN t.spent_month >= ${thisMonth} THEN t.month_quota ELSE 0 END
    END AS month_free,
    CASE WHEN l.at_once > 0 THEN l.at_once - t.open_calls END AS calls_free
  FROM locked t CROSS JOIN LATERAL (SELECT COALESCE((t.rates ->> 'daily_spend')::bigint, 0) AS per_day,
    COALESCE((t.rates ->> 'monthly_spend')::bigint, 0) AS per_month,
    COALESCE((t.rates ->> 'concurrency')::int, 0) AS at_once) l
), judged AS MATERIALIZED (
  SELECT i.ord, i.request_id, i.user_id, i.token_id, i.amount, n.token_amount, n.slots, p.free AS free,
    LEAST(t.quota_free, t.day_free, t.month_free) AS token_free, t.calls_free, t.per_day, t.per_month, t.at_once,
    CASE
      WHEN p.usable IS NOT TRUE THEN 'user'
      WHEN i.token_id <> 0 AND t.usable IS NOT TRUE THEN 'key'
      WHEN i.amount > 0 AND i.amount > p.free THEN 'balance'
      WHEN n.token_amount > 0 AND n.token_amount > t.quota_free THEN 'token'
      WHEN n.token_amount > 0 AND n.token_amount > t.day_free THEN 'day'
      WHEN n.token_amount > 0 AND n.token_amount > t.month_free THEN 'month'
      WHEN n.slots > t.calls_free THEN 'calls'
    END AS refusal
  FROM input i
  LEFT JOIN payer p ON p.id = i.user_id
  LEFT JOIN purse t ON t.id = i.token_id AND t.user_id = i.user_id
  CROSS JOIN LATERAL (SELECT CASE WHEN LEAST(t.quota_free, t.day_free, t.month_free) IS NULL THEN 0
    WHEN i.token_amount > 0 THEN i.token_amount ELSE i.amount END AS token_amount,
    CASE WHEN t.calls_free IS NULL THEN 0 ELSE 1 END AS slots) n
), fitting AS MATERIALIZED (
  SELECT *,
    (amount = 0 OR sum(amount) OVER (PARTITION BY user_id ORDER BY ord) <= free)
    AND (token_amount = 0 OR sum(token_amount) OVER (PARTITION BY token_id ORDER BY ord) <= token_free)
    AND (slots = 0 OR sum(slots) OVER (PARTITION BY token_id ORDER BY ord) <= calls_free) AS granted
  FROM judged WHERE refusal IS NULL
), kept AS (
  INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, slots, node_id)
  SELECT request_id, user_id, token_id, amount, token_amount, slots, $2 FROM fitting WHERE granted ORDER BY ord
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, user_id, token_id, amount, token_amount, slots
), hold_user AS (
  UPDATE users u SET reserved = u.reserved + s.amount
  FROM (SELECT user_id, sum(amount)::bigint AS amount FROM kept GROUP BY user_id) s
  WHERE u.id = s.user_id AND s.amount > 0
), hold_token AS (
  UPDATE tokens t SET reserved = t.reserved + s.amount, open_calls = t.open_calls + s.slots
  FROM (
    SELECT token_id, sum(token_amount)::bigint AS amount, sum(slots)::int AS slots FROM kept GROUP BY token_id
  ) s
  WHERE t.id = s.token_id AND (s.amount > 0 OR s.slots > 0)
)
SELECT CASE
    WHEN j.refusal IS NOT NULL THEN j.refusal
    WHEN NOT f.granted THEN 'again'
    WHEN k.request_id IS NULL THEN 'taken'
    ELSE 'granted'
  END AS verdict,
  CASE j.refusal WHEN 'day' THEN j.per_day WHEN 'month' THEN j.per_month WHEN 'calls' THEN j.at_once END AS most
FROM judged j
LEFT JOIN fitting f ON f.ord = j.ord
LEFT JOIN kept k ON k.request_id = j.request_id
ORDER BY j.ord`,
};

/** $1 request ids, $2 node: which of these reservations are there. */
export const reservedStatement: Statement = {
  name: "ledger-reserved",
  text: `SELECT request_id FROM reservations WHERE request_id = ANY($1::text[]) AND node_id = $2`,
};

const giveBack = `
give_user AS (
  UPDATE users u SET reserved = u.reserved - s.held
  FROM (SELECT user_id, sum(held)::bigint AS held FROM closed GROUP BY user_id) s
  WHERE u.id = s.user_id AND s.held > 0
), give_token AS (
  UPDATE tokens t SET reserved = t.reserved - s.held, open_calls = t.open_calls - s.slots
  FROM (
    SELECT token_id, sum(token_held)::bigint AS held, sum(slots)::int AS slots FROM closed GROUP BY token_id
  ) s
  WHERE t.id = s.token_id AND (s.held > 0 OR s.slots > 0)
)`;

/**
 * $1 log rows, $2 user ids, $3 token ids, $4 ids of channels that earn something, $5 request ids.
 * Returns the positions of the rows whose reservation was open and is now closed; all others had no effect at all.
 */
export const settleStatement: Statement = {
  name: "ledger-settle",
  text: `
WITH input AS MATERIALIZED (
  SELECT * FROM ${recordset}
), payer AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE
), purse AS MATERIALIZED (
  SELECT id FROM tokens WHERE id = ANY($3::int[]) AND (SELECT count(*) FROM payer) >= 0
  ORDER BY id FOR NO KEY UPDATE
), road AS MATERIALIZED (
  SELECT id FROM channels WHERE id = ANY($4::int[]) AND (SELECT count(*) FROM purse) >= 0
  ORDER BY id FOR NO KEY UPDATE
), closed AS MATERIALIZED (
  DELETE FROM reservations v USING input i
  WHERE v.request_id = ANY($5::text[]) AND (SELECT count(*) FROM road) >= 0
    AND v.request_id = i.request_id AND v.user_id = i.user_id AND v.token_id = i.token_id
  RETURNING i.*, v.amount AS held, v.token_amount AS token_held, v.slots
), charge_user AS (
  UPDATE users u SET reserved = u.reserved - s.held, quota = u.quota - s.charge,
    used_quota = u.used_quota + s.charge, request_count = u.request_count + s.served
  FROM (
    SELECT user_id, sum(held)::bigint AS held, sum(quota)::bigint AS charge, count(*) FILTER (WHERE type = 2) AS served
    FROM closed GROUP BY user_id
  ) s WHERE u.id = s.user_id
), charge_token AS (
  UPDATE tokens t SET reserved = t.reserved - s.held, used_quota = t.used_quota + s.charge,
    remain_quota = CASE WHEN t.unlimited_quota THEN t.remain_quota ELSE t.remain_quota - s.charge END,
    open_calls = t.open_calls - s.slots, accessed_time = now(),
    -- A statement that began before midnight may come after one that began after it: the day never goes back.
    spent_day = GREATEST(t.spent_day, ${today}),
    day_quota = CASE WHEN t.spent_day >= ${today} THEN t.day_quota ELSE 0 END + s.charge,
    spent_month = GREATEST(t.spent_month, ${thisMonth}),
    month_quota = CASE WHEN t.spent_month >= ${thisMonth} THEN t.month_quota ELSE 0 END + s.charge
  FROM (
    SELECT token_id, sum(token_held)::bigint AS held, sum(quota)::bigint AS charge, sum(slots)::int AS slots
    FROM closed GROUP BY token_id
  ) s WHERE t.id = s.token_id
), charge_channel AS (
  UPDATE channels c SET used_quota = c.used_quota + s.charge
  FROM (SELECT channel_id, sum(quota)::bigint AS charge FROM closed WHERE quota > 0 GROUP BY channel_id) s
  WHERE c.id = s.channel_id
), log AS (
  INSERT INTO request_logs (${columns}) SELECT ${columns} FROM closed ORDER BY ord
), hours AS (${usageHours("closed")}
)
SELECT ord FROM closed`,
};

/** $1 log rows of calls that never had a reservation. */
export const noteStatement: Statement = {
  name: "ledger-note",
  text: `
WITH input AS MATERIALIZED (SELECT * FROM ${recordset}
), log AS (
  INSERT INTO request_logs (${columns}) SELECT ${columns} FROM input ORDER BY ord
)
${usageHours("input")}`,
};

/** $1 request ids, $2 their instants, side by side: which of them have a log row. */
export const loggedStatement: Statement = {
  name: "ledger-logged",
  text: `
SELECT l.request_id FROM unnest($1::text[], $2::timestamptz[]) AS w(request_id, created_at)
JOIN request_logs l ON l.created_at = w.created_at AND l.request_id = w.request_id`,
};

/** $1 request ids, $2 user ids, $3 token ids: gives back what these reservations hold. */
export const releaseStatement: Statement = {
  name: "ledger-release",
  text: `
WITH payer AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE
), purse AS MATERIALIZED (
  SELECT id FROM tokens WHERE id = ANY($3::int[]) AND (SELECT count(*) FROM payer) >= 0
  ORDER BY id FOR NO KEY UPDATE
), closed AS MATERIALIZED (
  DELETE FROM reservations
  WHERE request_id = ANY($1::text[]) AND (SELECT count(*) FROM purse) >= 0
  RETURNING user_id, token_id, amount AS held, token_amount AS token_held, slots
), ${giveBack}
SELECT count(*)::int AS released FROM closed`,
};

/**
 * A credit: its ledger entry, the balance and the log row, in one.
 * $1 user, $2 kind, $3 amount, $4 reference, $5 reason, $6 actor, $7 log type, $8 address, $9 valid until.
 * No row when the user does not exist. `entry_id` is null when nothing was written: the entry is there already,
 * or the balance would leave its range.
 */
export const creditStatement = `
WITH payer AS MATERIALIZED (
  SELECT id, username, quota, reserved FROM users WHERE id = $1::int FOR NO KEY UPDATE
), entry AS (
  INSERT INTO ledger_entries (user_id, kind, amount, reference, reason, actor_id)
  SELECT id, $2, $3::bigint, $4, $5, $6::int FROM payer
  WHERE CASE WHEN $3::bigint > 0 THEN quota + $3::bigint <= 9007199254740991
    ELSE quota - reserved + $3::bigint >= 0 END
  ON CONFLICT (kind, reference) DO NOTHING
  RETURNING id, amount
), moved AS (
  UPDATE users u SET quota = u.quota + e.amount, quota_expires_at = COALESCE($9::timestamptz, u.quota_expires_at)
  FROM entry e WHERE u.id = $1::int
), log AS (
  INSERT INTO request_logs (created_at, request_id, type, user_id, username, content, quota, source_ip)
  SELECT now(), $4, $7::smallint, p.id, p.username, $5, e.amount, $8 FROM entry e, payer p
)
SELECT p.quota + COALESCE(e.amount, 0) AS balance, e.id AS entry_id FROM payer p LEFT JOIN entry e ON true`;
