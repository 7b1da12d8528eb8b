import { Nothing } from "@gateway/shared/envelope";
import { LogExportStatus } from "@gateway/shared/site/log-export";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { writeAudit } from "#domain/audit-log/audit.ts";

/** Runs of a session within a minute. Each one reads the log. */
const RUN_LIMIT = { max: 5, timeWindow: 60_000 };

/** Routes for the export of the request log to a folder or a bucket. */
export function logExportRoutes(app: ConsoleApp, { db, logExport }: Services): void {
  app.get(
    "/option/log-export",
    {
      config: { access: "admin", permission: "settings" },
      schema: {
        summary: "State of the log export, and the last exported hours",
        response: answers(LogExportStatus),
      },
    },
    async () => ok(await logExport.status()),
  );

  app.post(
    "/option/log-export/run",
    {
      config: { access: "root", rateLimit: RUN_LIMIT },
      schema: { summary: "Export the hours of the log that have ended, now", response: answers(Nothing) },
    },
    async (request) => {
      await logExport.start();
      await writeAudit(db, {
        actor: viewerOf(request),
        action: "log.export",
        targetType: "log",
        targetId: "export",
      });
      return ok(null);
    },
  );
}
