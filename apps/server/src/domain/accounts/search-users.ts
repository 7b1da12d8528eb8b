/** The list of accounts for administrators, for hundreds of thousands of accounts. */
import type { UserQuery } from "@gateway/shared/accounts/user";
import type { Db } from "#platform/database/db.ts";
import { startsWithPattern, startsWithText } from "#platform/database/text-search.ts";
import { Prisma } from "#platform/prisma/client.ts";
import { type ListedUser, withProviders } from "./users.ts";

export interface UserSearch extends Pick<UserQuery, "keyword"> {
  /** 0, "" or absent means all. */
  role?: number;
  status?: number;
  group?: string;
  skip: number;
  take: number;
  /** Sort order by columns of the table. */
  orderBy: Partial<Record<Prisma.UserScalarFieldEnum, "asc" | "desc">>[];
}

const include = { identities: { select: { provider: true }, orderBy: { provider: "asc" } } } as const;

/**
 * Returns a page of users. The keyword is an id, or the start of a user name, display name, email address or
 * group.
 */
export async function listUsers(db: Db, search: UserSearch): Promise<{ rows: ListedUser[]; total: number }> {
  const { keyword, role, status, group, skip, take, orderBy } = search;
  if (keyword !== "") {
    const { ids, total } = await findUsers(db, search);
    const rows = await db.user.findMany({ where: { id: { in: ids } }, include });
    const placeOf = new Map(ids.map((id, place) => [id, place]));
    rows.sort((one, other) => (placeOf.get(one.id) ?? 0) - (placeOf.get(other.id) ?? 0));
    return { rows: rows.map(withProviders), total };
  }
  const where = {
    deleted_at: null,
    ...(role ? { role } : {}),
    ...(status ? { status } : {}),
    ...(group ? { group } : {}),
  };
  const [rows, total] = await Promise.all([
    db.user.findMany({ where, skip, take, orderBy, include }),
    db.user.count({ where }),
  ]);
  return { rows: rows.map(withProviders), total };
}

/**
 * Returns one page of ids and the total. Every kind of match scans its own index. With OR between them,
 * Postgres would read every account and compute the lower case of three columns of each.
 */
async function findUsers(
  db: Db,
  { keyword, role, status, group, skip, take, orderBy }: UserSearch,
): Promise<{ ids: number[]; total: number }> {
  const text = startsWithPattern(keyword);
  const groups = await db.userGroup.findMany({
    where: { symbol: startsWithText(keyword) },
    select: { symbol: true },
  });
  const id = /^[1-9]\d{0,9}$/.test(keyword) ? Number(keyword) : 0;
  const matches = [
    ...["username", "display_name", "email"].map(
      (column) => Prisma.sql`lower(${Prisma.raw(column)}) LIKE lower(${text})`,
    ),
    ...(groups.length > 0
      ? [Prisma.sql`"group" IN (${Prisma.join(groups.map(({ symbol }) => symbol))})`]
      : []),
    ...(id > 0 && id < 2 ** 31 ? [Prisma.sql`id = ${id}`] : []),
  ];
  const narrowed = Prisma.sql`deleted_at IS NULL
    ${role ? Prisma.sql`AND role = ${role}` : Prisma.empty}
    ${status ? Prisma.sql`AND status = ${status}` : Prisma.empty}
    ${group ? Prisma.sql`AND "group" = ${group}` : Prisma.empty}`;
  const sorting = orderBy.flatMap((order) => Object.entries(order));
  const columns = Prisma.raw(
    [...new Set(["id", ...sorting.map(([name]) => name)])].map(quoteColumn).join(", "),
  );
  const order = Prisma.raw(
    sorting.map(([name, direction]) => `${quoteColumn(name)} ${direction}`).join(", "),
  );
  const arms = matches.map(
    (match) => Prisma.sql`SELECT ${columns} FROM users WHERE ${narrowed} AND ${match}`,
  );
  const [found] = await db.$queryRaw<{ ids: number[]; total: number }[]>`
    WITH found AS MATERIALIZED (${Prisma.join(arms, " UNION ")})
    SELECT (SELECT count(*)::int FROM found) AS total,
      ARRAY(SELECT id FROM found ORDER BY ${order} LIMIT ${take} OFFSET ${skip}) AS ids`;
  return found ?? { ids: [], total: 0 };
}

function quoteColumn(column: string): string {
  return `"${column}"`;
}
