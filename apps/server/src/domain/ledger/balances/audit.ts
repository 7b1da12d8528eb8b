import type { Db, Pool } from "#platform/database/db.ts";

/**
 * Recomputes every balance from its ledger entries and charges. It must not repair anything.
 * A drift is a bug to find.
 */
export interface Audit {
  /** Number of users and tokens checked. */
  checked: number;
  /** Sum of the absolute differences between books and balances, in points. Expected: 0n. */
  drift: bigint;
  rows: AuditRow[];
}

export interface AuditRow {
  what:
    | ("user-quota" | "user-reserved" | "user-leased" | "user-used")
    | ("token-used" | "token-reserved" | "token-leased" | "token-calls");
  id: number;
  expected: bigint;
  actual: bigint;
}

// One statement reads one snapshot: a call that settles meanwhile is in all of the sums or in none.
const statement = `
WITH credits AS (SELECT user_id AS id, sum(amount) AS points FROM ledger_entries GROUP BY 1),
charges AS (SELECT user_id AS id, sum(quota) AS points FROM usage_hours GROUP BY 1),
token_charges AS (SELECT token_id AS id, sum(quota) AS points FROM usage_hours GROUP BY 1),
held AS (SELECT user_id AS id, sum(amount) FILTER (WHERE version = 0) AS points,
  sum(amount) FILTER (WHERE version > 0) AS leased, sum(charged) AS unbooked FROM reservations GROUP BY 1),
token_held AS (SELECT token_id AS id, sum(token_amount) FILTER (WHERE version = 0) AS points,
  sum(token_amount) FILTER (WHERE version > 0) AS leased, sum(slots) AS slots, sum(charged) AS unbooked
  FROM reservations GROUP BY 1),
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
  CROSS JOIN LATERAL (VALUES
    ('token-used', COALESCE(token_charges.points, 0) - COALESCE(token_held.unbooked, 0), t.used_quota),
    ('token-reserved', COALESCE(token_held.points, 0), t.reserved),
    ('token-leased', COALESCE(token_held.leased, 0), t.leased),
    ('token-calls', COALESCE(token_held.slots, 0), t.open_calls)
  ) b(what, expected, actual)
)
SELECT c.checked, b.what, b.id, b.expected, b.actual
FROM (SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM tokens) AS checked) c
LEFT JOIN books b ON b.expected <> b.actual
ORDER BY b.what, b.id`;

type Row = { checked: bigint } & (AuditRow | { what: null });

export async function audit(pool: Pool): Promise<Audit> {
  const { rows } = await pool.query<Row>(statement);
  return outcomeOf(rows);
}

/** Runs the audit within a transaction, including its uncommitted writes. */
export async function auditWithin(db: Db): Promise<Audit> {
  return outcomeOf(await db.$queryRawUnsafe<Row[]>(statement));
}

function outcomeOf(rows: Row[]): Audit {
  const differing = rows.flatMap((row) =>
    row.what === null ? [] : [{ what: row.what, id: row.id, expected: row.expected, actual: row.actual }],
  );
  return {
    checked: Number(rows[0]?.checked ?? 0n),
    drift: differing.reduce((total, row) => total + distance(row.expected, row.actual), 0n),
    rows: differing,
  };
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

/** Stores the outcome for the analytics screen. */
export async function storeAudit(pool: Pool, outcome: Audit): Promise<void> {
  const detail = outcome.rows.map((row) => ({
    what: row.what,
    id: row.id,
    expected: String(row.expected),
    actual: String(row.actual),
  }));
  await pool.query("INSERT INTO audit_runs (checked, drift, detail) VALUES ($1, $2, $3::jsonb)", [
    outcome.checked,
    outcome.drift,
    JSON.stringify(detail),
  ]);
}

/** Formats the outcome for the command line. */
export function describeAudit(outcome: Audit): string {
  const lines = outcome.rows.map(
    (row) => `${row.what} ${row.id}: the books say ${row.expected}, the balance says ${row.actual}`,
  );
  return [`${outcome.checked} users and tokens checked, drift ${outcome.drift}`, ...lines].join("\n");
}
