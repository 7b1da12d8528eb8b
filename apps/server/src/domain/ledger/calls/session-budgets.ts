import type { Pool } from "#platform/database/db.ts";

/**
 * Budgets of agent sessions. A row of `session_budgets` counts what the calls of a session have reserved and
 * spent. Batches with such calls lock it after the rows of users and tokens, so that any number of nodes and
 * agents share one exact sum. Other batches do not read it. A call above its reservation is charged in full, so
 * that a client cannot lower a price with its own limit.
 */

/** Points of a session. */
export interface SessionState {
  /** Row of session_budgets. */
  id: number;
  spent: bigint;
  /** Reserved by open calls. */
  reserved: bigint;
}

/** Waits for other calls of the session, which may leave enough of its budget: five seconds in total. */
export const sessionPausesMs: readonly number[] = [100, 200, 400, 800, 1_500, 2_000];

/** Days after the last call until a session is forgotten, and its budget starts again. */
const keptDays = 30;
/** Days until a session is forgotten in which nothing was charged: also refused calls can make a row. */
const keptUnspentDays = 1;
const tries = 3;

/**
 * Returns the row of a session, which is made with the first call. Undefined for a new session of an account
 * without a balance, which makes none.
 */
export async function openSession(
  pool: Pool,
  userId: number,
  session: string,
): Promise<SessionState | undefined> {
  for (let at = 0; at < tries; at += 1) {
    const { rows } = await pool.query<SessionState>(
      "SELECT id, spent, reserved FROM session_budgets WHERE user_id = $1 AND session = $2",
      [userId, session],
    );
    if (rows[0] !== undefined) return rows[0];
    const { rows: made } = await pool.query<SessionState>(
      `INSERT INTO session_budgets (user_id, session)
       SELECT id, $2 FROM users WHERE id = $1 AND quota > 0
       ON CONFLICT (user_id, session) DO NOTHING
       RETURNING id, spent, reserved`,
      [userId, session],
    );
    if (made[0] !== undefined) return made[0];
  }
  return undefined;
}

/** Deletes sessions that had no call for a month. */
export async function forgetSessions(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM session_budgets WHERE reserved = 0
       AND used_at < now() - make_interval(days => CASE WHEN spent > 0 THEN $1 ELSE $2 END::int)`,
    [keptDays, keptUnspentDays],
  );
}

/** The SQL of session budgets in the ledger's batch. */
export const session = {
  /** @param parameter the number of the parameter with the sessions of the calls that begin */
  locked: (parameter: number) => `
), session AS MATERIALIZED (
  SELECT id, reserved, spent FROM session_budgets
  WHERE (id = ANY($${parameter}::int[]) OR id IN (
      SELECT v.session_id FROM reservations v WHERE v.request_id = ANY($4::text[])))
    AND (SELECT count(*) FROM locked) >= 0
  ORDER BY id FOR NO KEY UPDATE`,

  /** Columns of a reservation. */
  reserved: ", v.session_id",
  /** The same for a call in a lease. */
  none: ", NULL::int",

  /** The state of the sessions after the ending calls. */
  left: `
), session_left AS MATERIALIZED (
  SELECT s.id, s.spent + COALESCE(c.charged, 0) AS spent, s.reserved - COALESCE(c.back, 0) AS reserved
  FROM session s LEFT JOIN (
    SELECT session_id, sum(taken)::bigint AS back, sum(quota)::bigint AS charged
    FROM closed WHERE session_id IS NOT NULL GROUP BY session_id
  ) c ON c.session_id = s.id`,

  columns: ", session_id int, session_limit bigint",
  names: ", session_id, session_limit",
  decided: `
    i.session_id, i.session_limit, i.session_limit - s.spent - s.reserved AS session_free,`,
  shareOf: `
  LEFT JOIN session_left s ON s.id = i.session_id`,
  refusals: `
      WHEN i.session_id IS NOT NULL AND i.amount > COALESCE(GREATEST(0, i.session_limit - s.spent), 0) THEN 'session'
      WHEN i.session_id IS NOT NULL AND i.amount > 0 AND i.amount > i.session_limit - s.spent - s.reserved
        THEN 'session_busy'`,
  fits: `
    AND (session_id IS NULL OR amount = 0 OR sum(amount) OVER (PARTITION BY session_id ORDER BY ord) <= session_free)`,
  refusedLimit: `
    WHEN 'session' THEN j.session_limit WHEN 'session_busy' THEN j.session_limit`,

  moves: `), move_session AS (
  UPDATE session_budgets b SET reserved = b.reserved + m.reserved, spent = b.spent + m.charge, used_at = now()
  FROM (
    SELECT session_id, sum(points)::bigint AS reserved, sum(charge)::bigint AS charge FROM (
      SELECT session_id, -taken AS points, quota AS charge FROM closed
      UNION ALL
      SELECT session_id, amount, 0 FROM kept
    ) x WHERE session_id IS NOT NULL GROUP BY session_id
  ) m WHERE b.id = m.session_id
`,
};
