/** User groups: they define the price ratio, the requests per minute and the reachable channels of a call. */
import type { Db } from "#platform/database/db.ts";
import type { UserGroup } from "#platform/prisma/client.ts";

/**
 * Returns the groups that a user may use: enabled, and either public or the user's own. Without a user, the
 * public ones.
 */
export async function usableGroups(db: Db, ownGroup?: string): Promise<UserGroup[]> {
  return db.userGroup.findMany({
    where: {
      enable: true,
      OR: [{ public: true }, ...(ownGroup === undefined ? [] : [{ symbol: ownGroup }])],
    },
    orderBy: { id: "asc" },
  });
}

/** Returns the symbols of all enabled groups. */
export async function enabledGroups(db: Db): Promise<string[]> {
  const rows = await db.userGroup.findMany({
    where: { enable: true },
    select: { symbol: true },
    orderBy: { id: "asc" },
  });
  return rows.map((row) => row.symbol);
}

/** Returns the names of all groups by symbol, with those that are disabled or not public. */
export async function groupNames(db: Db): Promise<Record<string, string>> {
  const rows = await db.userGroup.findMany({ select: { symbol: true, name: true }, orderBy: { id: "asc" } });
  return Object.fromEntries(rows.map((row) => [row.symbol, row.name]));
}

export async function findGroup(db: Db, symbol: string): Promise<UserGroup | null> {
  return db.userGroup.findUnique({ where: { symbol } });
}
