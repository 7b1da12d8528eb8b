import type { Db } from "./db.ts";

/**
 * Keeps groups from being deleted until the transaction ends, so that nothing refers to a group that is gone.
 * Returns the symbols that exist.
 */
export async function lockGroups(tx: Db, symbols: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.$queryRaw<{ symbol: string }[]>`
    SELECT symbol FROM user_groups WHERE symbol = ANY(${symbols}) ORDER BY id FOR KEY SHARE`;
  return new Set(rows.map((row) => row.symbol));
}
