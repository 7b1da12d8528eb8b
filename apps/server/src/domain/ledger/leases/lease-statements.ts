import { budgetColumns, budgets, tokenLimits } from "#domain/ledger/batches/limit-statements.ts";
import { clock, records } from "#domain/ledger/batches/move-balances.ts";
import { unchargedColumns } from "#domain/ledger/batches/statements.ts";
import { rowset } from "#domain/ledger/calls/log-rows.ts";

/**
 * SQL of leases in the ledger's batch. A lease is a row of `reservations` that belongs to no call: points
 * that a node has reserved for the next calls of one key, so that these begin without a statement. Only its
 * own node changes it, in batches of one shard, and each batch names the version that it read. A batch that
 * took effect although its response was lost therefore cannot take effect again.
 */

/** A batch's request for one lease. */
export interface LeaseRequest {
  id: string;
  /** Version that the node knows; 0 for a lease that does not exist yet. */
  version: number;
  user_id: number;
  token_id: number;
  /** The lease also counts against the token's own quota. */
  limited: boolean;
  /** Points to keep when the lease is given back, for its open calls. Null while it stays active. */
  keep: string | null;
  /** Points to top up to; 0 only books its charges; null while it has enough. */
  target: string | null;
  /** Minimum points for a new lease to be useful. */
  smallest: string;
}

/**
 * Result for one lease, with its current points. `stale` means that its key is no longer eligible.
 * `denied` means that there is no such lease. A lease without a row has another version or is gone.
 */
export interface LeaseRow {
  ord: number;
  verdict: "lease" | "stale" | "denied";
  most: bigint;
}

/**
 * Divisor of an account's free points per batch for leases. The rest stays available to other keys and nodes.
 */
const leasedPart = 16;

export const lease = {
  /** @param parameter the number of the parameter with the requests */
  input: (parameter: number) => `
), wish AS MATERIALIZED (
  SELECT * FROM json_to_recordset($${parameter}::json) AS r(ord int, id text, version int, user_id int, token_id int,
    limited boolean, keep bigint, target bigint, smallest bigint)`,

  /**
   * Locks the leases with the requested version.
   * @param parameter the number of the parameter with their ids
   */
  locked: (parameter: number) => `
), lease AS MATERIALIZED (
  SELECT w.ord, w.id, w.user_id, w.token_id, w.limited, v.amount, v.charged, v.served, v.ended FROM wish w JOIN reservations v ON v.request_id = w.id
  WHERE v.request_id = ANY($${parameter}::text[]) AND v.version = w.version AND v.version > 0
    AND (SELECT count(*) FROM locked) >= 0
  FOR UPDATE OF v`,

  /**
   * Selects the calls that end in these leases.
   * @param further values of the columns that only reservations of their own have
   */
  ended: (further: string) => `
  UNION ALL
  SELECT e.*, e.lease_held, CASE WHEN l.limited THEN e.lease_held ELSE 0 END, 0, false${further}
  FROM ending e JOIN lease l ON l.id = e.lease`,

  /**
   * Computes the new state of each lease. Keys with exact limits have no leases, and neither have accounts
   * with few points: their calls are reserved one by one.
   * @param granted the points that this batch reserves for calls, by user and by token
   */
  changes: (granted: { user: string; token: string }) => `
), leased AS MATERIALIZED (
  SELECT w.*, b.base, b.usable, n.share, CASE
      WHEN w.keep IS NOT NULL THEN LEAST(b.base, w.keep)
      WHEN b.usable AND w.target > b.base THEN LEAST(w.target, b.base + n.share)
      ELSE b.base
    END AS points,
    w.version > 0 OR (b.usable AND w.keep IS NULL AND LEAST(w.target, n.share) >= w.smallest) AS there
  FROM (SELECT *, count(*) OVER (PARTITION BY user_id) AS beside FROM wish) w
  LEFT JOIN lease l ON l.id = w.id
  LEFT JOIN (SELECT lease, sum(taken)::bigint AS taken FROM closed WHERE lease IS NOT NULL GROUP BY lease) c
    ON c.lease = w.id
  LEFT JOIN balance p ON p.id = w.user_id
  LEFT JOIN purse t ON t.id = w.token_id AND t.user_id = w.user_id
  CROSS JOIN LATERAL (SELECT COALESCE(l.amount - l.charged, 0) - COALESCE(c.taken, 0) AS base,
    p.usable IS TRUE AND NOT p.limited AND (w.token_id = 0 OR (t.usable IS TRUE AND (t.quota_free IS NOT NULL) = w.limited
      AND COALESCE(t.day_free, t.week_free, t.month_free, t.calls_free) IS NULL)) AS usable) b
  CROSS JOIN LATERAL (SELECT GREATEST(0, LEAST(p.free - ${granted.user}, t.quota_free - ${granted.token})
    / (${leasedPart} * w.beside))::bigint AS share) n
  WHERE w.version = 0 OR l.id IS NOT NULL
), lease_made AS (
  INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, slots, node_id, version)
  SELECT id, user_id, token_id, points, CASE WHEN limited THEN points ELSE 0 END, 0, $5, 1
  FROM leased WHERE there AND version = 0
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id
), lease_kept AS (
  UPDATE reservations v SET amount = d.points, token_amount = CASE WHEN d.limited THEN d.points ELSE 0 END,
    charged = 0, served = 0, ended = 0, version = v.version + 1
  FROM leased d
  WHERE v.request_id = ANY($7::text[]) AND v.request_id = d.id AND d.version > 0 AND d.keep IS DISTINCT FROM 0
), lease_ended AS (
  DELETE FROM reservations v USING leased d
  WHERE v.request_id = ANY($7::text[]) AND v.request_id = d.id AND d.version > 0 AND d.keep = 0
), lease_moved AS MATERIALIZED (
  SELECT d.*, d.points - d.base AS change FROM leased d
  WHERE d.version > 0 OR EXISTS (SELECT FROM lease_made m WHERE m.request_id = d.id)`,

  moved: `
  UNION ALL
  SELECT user_id, token_id, 0, change, 0, CASE WHEN limited THEN change ELSE 0 END, 0, 0, 0, 0, 0 FROM lease_moved
  UNION ALL
  SELECT user_id, token_id, 0, -charged, 0, CASE WHEN limited THEN -charged ELSE 0 END, 0, charged, served, ended, ended
  FROM lease`,

  answer: `
UNION ALL
SELECT ord, CASE WHEN usable THEN 'lease' ELSE 'stale' END, points, NULL FROM lease_moved
UNION ALL
SELECT ord, 'denied', 0, NULL FROM leased WHERE NOT there`,
};

/**
 * A smaller statement for the batches of busy keys: calls that end in leases, none above its share, and no
 * lease to top up or give back. It charges them in the rows of the leases, and locks nothing that other nodes
 * write: see booking-statements.ts. Parameters: $1 log rows, $2 user ids, $3 token ids, $4 leases, $5 their ids.
 */
export const onlyLeasedText = `
WITH ${clock}, ending AS MATERIALIZED (
  SELECT * FROM ${rowset}${lease.input(4)}
), payer AS MATERIALIZED (
  SELECT id, status = 1 AND deleted_at IS NULL AS usable, ${budgetColumns} FROM users WHERE id = ANY($2::int[])
), purse AS MATERIALIZED (
  SELECT id, user_id, status = 1 AND deleted_at IS NULL AS usable, unlimited_quota, budget, setting -> 'rates' AS rates
  FROM tokens WHERE id = ANY($3::int[])${budgets}
), lease AS MATERIALIZED (
  SELECT w.ord, w.id, w.user_id, w.token_id, w.limited, v.amount - v.charged AS points
  FROM wish w JOIN reservations v ON v.request_id = w.id
  WHERE v.request_id = ANY($5::text[]) AND v.version = w.version AND v.version > 0
  ORDER BY v.request_id FOR UPDATE OF v
), closed AS MATERIALIZED (
  SELECT ${unchargedColumns}, c.ord, c.cached_tokens, c.part, c.lease, c.quota, c.bill
  FROM ending c JOIN lease l ON l.id = c.lease
), cost AS MATERIALIZED (
  SELECT lease, sum(quota)::bigint AS charge, count(*) FILTER (WHERE type = 2)::int AS served, count(*)::int AS ended
  FROM closed GROUP BY lease
), charge_lease AS (
  UPDATE reservations v SET charged = v.charged + c.charge, served = v.served + c.served, ended = v.ended + c.ended,
    version = v.version + 1
  FROM cost c WHERE v.request_id = ANY($5::text[]) AND v.request_id = c.lease
${records}
SELECT ord, 'settled' AS verdict, quota AS most FROM closed
UNION ALL
SELECT l.ord, CASE WHEN p.usable AND NOT EXISTS (SELECT FROM limits b WHERE b.id = l.user_id)
    AND (l.token_id = 0 OR (t.usable AND t.user_id = l.user_id AND t.unlimited_quota <> l.limited
      AND COALESCE(m.per_day, m.per_week, m.per_month) IS NULL AND m.at_once = 0))
  THEN 'lease' ELSE 'stale' END, l.points - c.charge
FROM lease l
JOIN cost c ON c.lease = l.id
LEFT JOIN payer p ON p.id = l.user_id
LEFT JOIN purse t ON t.id = l.token_id
LEFT JOIN LATERAL (${tokenLimits}) m ON true`;
