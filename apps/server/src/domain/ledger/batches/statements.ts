import { logColumns } from "#domain/ledger/calls/call-record.ts";
import { rowset } from "#domain/ledger/calls/log-rows.ts";

/**
 * The ledger's SQL. Every statement locks in the same order: users and tokens, each by id, then reservations
 * and roll-ups. This prevents deadlocks between any number of nodes. Each operation is atomic because it is
 * one statement.
 *
 * Postgres evaluates a CTE only when it is referenced. A condition on the row count of a locking CTE forces
 * it to run before the next one.
 */

export interface PreparedStatement {
  /** Prepared once per connection under this name. */
  name: string;
  text: string;
}

/** Node id of reservations for calls that outlive every node. They are never released as abandoned. */
export const backgroundNode = "background";

export const columns = Object.keys(logColumns)
  .map((name) => `"${name}"`)
  .join(", ");

/** Columns that a settlement copies unchanged. It computes `quota` and `bill` itself. */
export const unchargedColumns = Object.keys(logColumns)
  .filter((name) => name !== "quota" && name !== "bill")
  .map((name) => `c."${name}"`)
  .join(", ");

export const usageHours = (source: string) => `
  INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
    quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
  SELECT date_trunc('hour', created_at, 'UTC'), user_id, token_id, channel_id, model_name, "group",
    count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota)::bigint,
    sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(cached_tokens)::bigint,
    sum(request_time), sum(first_byte_time), COALESCE(part, 0)
  FROM ${source}
  GROUP BY 1, 2, 3, 4, 5, 6, part
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (hour, user_id, token_id, channel_id, model, "group", part) DO UPDATE SET
    request_count = h.request_count + excluded.request_count,
    failed_count = h.failed_count + excluded.failed_count,
    quota = h.quota + excluded.quota,
    prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = h.completion_tokens + excluded.completion_tokens,
    cached_tokens = h.cached_tokens + excluded.cached_tokens,
    request_time = h.request_time + excluded.request_time,
    first_byte_time = h.first_byte_time + excluded.first_byte_time`;

/** Parameters: $1 lease ids, $2 node. Returns the current state of these leases, if they exist. */
export const leasesStatement: PreparedStatement = {
  name: "ledger-leases",
  text: `SELECT request_id, amount - charged AS amount, version FROM reservations WHERE request_id = ANY($1::text[]) AND node_id = $2`,
};

/** Parameters: $1 request ids, $2 node. Returns the reservations that exist. */
export const reservedStatement: PreparedStatement = {
  name: "ledger-reserved",
  text: `SELECT request_id FROM reservations WHERE request_id = ANY($1::text[]) AND node_id = $2`,
};

/**
 * Parameters: $1 user ids, $2 token ids. Returns the users that cannot be charged now, because their row or
 * the row of one of these tokens is locked. It does not wait for locks.
 */
export const lockedStatement: PreparedStatement = {
  name: "ledger-locked",
  text: `
WITH free_users AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), free_tokens AS MATERIALIZED (
  SELECT id FROM tokens WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
SELECT id FROM users WHERE id = ANY($1::int[]) AND id NOT IN (SELECT id FROM free_users)
UNION
SELECT user_id FROM tokens WHERE id = ANY($2::int[]) AND id NOT IN (SELECT id FROM free_tokens)`,
};

/** Parameter: $1 log rows of calls that never had a reservation. */
export const noteStatement: PreparedStatement = {
  name: "ledger-note",
  text: `
WITH input AS MATERIALIZED (SELECT * FROM ${rowset}
), log AS (
  INSERT INTO request_logs (${columns}) SELECT ${columns} FROM input ORDER BY ord
)
${usageHours("input")}`,
};

/** Parameter: $1 node. Records a heartbeat. Returns the database's clock in milliseconds since 1970. */
export const beatStatement: PreparedStatement = {
  name: "ledger-beat",
  text:
    "INSERT INTO nodes (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET heartbeat = now() " +
    "RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS database_ms",
};

/** Allocates and frees about 1 MB of disk. It fails on a full disk, where a small write may still succeed. */
export const spaceStatement = `
CREATE TEMP TABLE space_probe ON COMMIT DROP AS
SELECT gen_random_uuid() AS filling FROM generate_series(1, 20000)`;

/**
 * Parameters: $1 request ids, $2 creation times, in parallel arrays.
 * Returns the calls that have a log row, with their outcome.
 */
export const loggedStatement: PreparedStatement = {
  name: "ledger-logged",
  text: `
SELECT l.request_id, l.outcome FROM unnest($1::text[], $2::timestamptz[]) AS w(request_id, created_at)
JOIN request_logs l ON l.created_at = w.created_at AND l.request_id = w.request_id`,
};

/**
 * Writes a credit: its ledger entry, the balance and the log row, in one statement.
 *
 * Parameters: $1 user, $2 kind, $3 amount, $4 reference, $5 reason, $6 actor, $7 log type, $8 address,
 * $9 valid until, $10 facts of the reason.
 *
 * Returns no row when the user does not exist. `entry_id` is null when nothing was written, because the entry
 * exists already or the balance would leave its range.
 */
export const creditStatement = `
WITH payer AS MATERIALIZED (
  SELECT id, username, quota, reserved + leased AS reserved FROM users WHERE id = $1::int FOR NO KEY UPDATE
), entry AS (
  INSERT INTO ledger_entries (user_id, kind, amount, reference, reason, actor_id, reason_facts)
  SELECT id, $2, $3::bigint, $4, $5, $6::int, $10::jsonb FROM payer
  WHERE CASE WHEN $3::bigint > 0 THEN quota + $3::bigint <= 9007199254740991
    ELSE quota - reserved + $3::bigint >= 0 END
  ON CONFLICT (kind, reference) DO NOTHING
  RETURNING id, amount
), moved AS (
  UPDATE users u SET quota = u.quota + e.amount, quota_expires_at = COALESCE($9::timestamptz, u.quota_expires_at)
  FROM entry e WHERE u.id = $1::int
), log AS (
  INSERT INTO request_logs (created_at, request_id, type, user_id, username, content, quota, source_ip, content_facts)
  SELECT now(), $4, $7::smallint, p.id, p.username, $5, e.amount, $8, $10::jsonb FROM entry e, payer p
)
SELECT p.quota + COALESCE(e.amount, 0) AS balance, e.id AS entry_id FROM payer p LEFT JOIN entry e ON true`;
