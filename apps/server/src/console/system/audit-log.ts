import { auditOrders, AuditPage, AuditQuery } from "@gateway/shared/usage/audit";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { searchAudit } from "#domain/audit-log/search.ts";
import { targetNames } from "#domain/audit-log/target-names.ts";
import { unixTime } from "#platform/clock.ts";

/** Route for the audit log of the console, for administrators. */
export function auditLogRoutes(app: ConsoleApp, { db }: Services): void {
  app.get(
    "/audit",
    {
      config: { access: "admin", permission: "audit" },
      schema: { summary: "List the audit log", querystring: AuditQuery, response: answers(AuditPage) },
    },
    async (request) => {
      const { orderBy } = sliceOf({ ...request.query, page: 1 }, auditOrders);
      const { rows, next } = await searchAudit(db, request.query, orderBy);
      const names = await targetNames(db, rows);
      const data = rows.map((row, place) => ({
        ...row,
        target_name: names[place] ?? "",
        id: String(row.id),
        created_time: unixTime(row.created_time),
      }));
      return ok({ data, next });
    },
  );
}
