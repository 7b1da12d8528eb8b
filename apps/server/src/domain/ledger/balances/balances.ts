import type { Pool } from "#platform/database/db.ts";

/**
 * Tells whether an account has points, before work is done for its call. Only the ledger decides about a charge; this
 * is asked first, because a reservation needs the model and the size of the request.
 */
export interface Balances {
  /** Returns whether the account has points. */
  has(userId: number): Promise<boolean>;
}

/** An account that had points is not asked for again within this time. */
const KNOWN_MS = 10_000;
/** An account without points may get some at any time. This limits its queries. */
const EMPTY_MS = 500;
const MAX_ACCOUNTS = 50_000;

export function createBalances(pool: Pool, now = performance.now.bind(performance)): Balances {
  const known = new Map<number, { has: boolean; until: number }>();
  const asking = new Map<number, Promise<boolean>>();

  async function ask(userId: number): Promise<boolean> {
    const { rows } = await pool.query<{ has: boolean }>("SELECT quota > 0 AS has FROM users WHERE id = $1", [
      userId,
    ]);
    const has = rows[0]?.has === true;
    if (known.size >= MAX_ACCOUNTS) known.clear();
    known.set(userId, { has, until: now() + (has ? KNOWN_MS : EMPTY_MS) });
    return has;
  }

  return {
    async has(userId) {
      const before = known.get(userId);
      if (before !== undefined && before.until > now()) return before.has;
      let pending = asking.get(userId);
      if (pending === undefined) {
        pending = ask(userId).finally(() => asking.delete(userId));
        asking.set(userId, pending);
      }
      return pending;
    },
  };
}
