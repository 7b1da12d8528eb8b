/**
 * Budgets of agent sessions. A row of `session_budgets` counts what the calls of a session have reserved and
 * spent. Batches with such calls lock it after the rows of users and tokens, so that any number of nodes and
 * agents share one exact sum. Other batches do not read it. A call above its reservation is charged in full, so
 * that a client cannot lower a price with its own limit.
 */
import type { Pool } from "#platform/database/db.ts";

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
