import type { AuditQuery } from "@gateway/shared/usage/audit";
import type { Db } from "#platform/database/db.ts";
import type { AuditEntry, Prisma } from "#platform/prisma/client.ts";

/**
 * Returns a page of the audit log. New rows do not shift pages. In the default order, newest first, a page
 * continues below the cursor's id. In any other order, it starts after the row of the cursor.
 */
export async function searchAudit(
  db: Db,
  query: AuditQuery,
  orderBy: Prisma.AuditEntryOrderByWithRelationInput[],
): Promise<{ rows: AuditEntry[]; next: string | null }> {
  const cursor = query.cursor === "" ? undefined : BigInt(query.cursor);
  const byId = query.order === "";
  const found = await db.auditEntry.findMany({
    where: {
      AND: [filterOf(query), byId && cursor !== undefined ? { id: { lt: cursor } } : {}],
    },
    ...(byId || cursor === undefined ? {} : { cursor: { id: cursor }, skip: 1 }),
    orderBy,
    take: query.size + 1,
  });
  const rows = found.slice(0, query.size);
  const last = rows.at(-1);
  return { rows, next: last !== undefined && found.length > rows.length ? String(last.id) : null };
}

/** Latest time that the database can print, in seconds since 1970. */
const LATEST = 253_402_300_799;

function instant(unixTime: number): Date {
  return new Date(Math.min(unixTime, LATEST) * 1000);
}

function filterOf(query: AuditQuery): Prisma.AuditEntryWhereInput {
  const { username, action, target_type, target_id, start_timestamp, end_timestamp } = query;
  return {
    ...(username === "" ? {} : { username: { startsWith: username, mode: "insensitive" as const } }),
    ...(action === "" ? {} : { action: { startsWith: action } }),
    ...(target_type === "" ? {} : { target_type }),
    ...(target_id === "" ? {} : { target_id }),
    created_time: {
      ...(start_timestamp === 0 ? {} : { gte: instant(start_timestamp) }),
      ...(end_timestamp === 0 ? {} : { lt: instant(end_timestamp + 1) }),
    },
  };
}
