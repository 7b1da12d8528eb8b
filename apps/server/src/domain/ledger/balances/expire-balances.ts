/**
 * Deducts expired balances. Points of open calls remain until these calls end. The balance keeps its expiry
 * date until then, so that the next run deducts the points that they released.
 */
import { reasons } from "@gateway/shared/reasons";
import { recallLeases } from "#domain/ledger/leases/recall-leases.ts";
import type { Database } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

type Books = Pick<Database, "db" | "pool">;

/** Maximum number of accounts per statement; each is locked while it runs. */
const portion = 200;

const { text: expireText } = readStatement(import.meta.url, "expire-balances.sql");

/** Recalls the leases of these accounts first, because leased points are not free. */
async function recallExpired({ db, pool }: Books): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    "SELECT id FROM users WHERE quota_expires_at <= now() AND leased > 0 ORDER BY id LIMIT $1",
    [portion],
  );
  await Promise.all(rows.map(({ id }) => recallLeases(db, id)));
}

/** Deducts all expired balances. Returns the users and the points deducted. */
export async function expireBalances(database: Books): Promise<{ userId: number; points: bigint }[]> {
  const { pool } = database;
  const taken: { userId: number; points: bigint }[] = [];
  await recallExpired(database);
  for (;;) {
    const { rows } = await pool.query<{ id: number; points: bigint }>(expireText, [
      portion,
      reasons.balanceExpired,
    ]);
    for (const { id, points } of rows) if (points > 0n) taken.push({ userId: id, points });
    if (rows.length < portion) return taken;
  }
}
