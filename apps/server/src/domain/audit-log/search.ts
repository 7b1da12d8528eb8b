import type { AuditQuery } from "@gateway/shared/usage/audit";
import type { Db } from "#platform/database/db.ts";
import type { AuditEntry, Prisma } from "#platform/prisma/client.ts";

/** Reading the audit log: newest first, page by page along the id, so that new rows shift nothing. */
export async function searchAudit(
  db: Db,
  query: AuditQuery,
): Promise<{ rows: AuditEntry[]; next: string | null }> {
  const found = await db.auditEntry.findMany({
    where: {
      AND: [filterOf(query), query.cursor === "" ? {} : { id: { lt: BigInt(query.cursor) } }],
    },
    orderBy: { id: "desc" },
    take: query.size + 1,
  });
  const rows = found.slice(0, query.size);
  const last = rows.at(-1);
  return { rows, next: last !== undefined && found.length > rows.length ? String(last.id) : null };
}

/** The last instant the database prints. */
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
