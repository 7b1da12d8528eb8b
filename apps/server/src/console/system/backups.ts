import { Nothing } from "@gateway/shared/envelope";
import { BackupList } from "@gateway/shared/site/backup-list";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { describeBackups } from "#domain/backups/backup-records.ts";
import { openBackupStorage } from "#domain/backups/scheduled-backup.ts";

/** Requests of a session within a minute. Each one lists a folder or a bucket. */
const LIST_LIMIT = { max: 60, timeWindow: 60_000 };
/** Backups that a session may start within a minute. Each one reads the whole database. */
const RUN_LIMIT = { max: 5, timeWindow: 60_000 };

/** Routes of the stored backups, and for one that is written now. */
export function backupRoutes(app: ConsoleApp, services: Services): void {
  const { db, pool, dataDir, settings, manualBackup } = services;
  app.get(
    "/option/backups",
    {
      config: { access: "admin", permission: "settings", rateLimit: LIST_LIMIT },
      schema: { summary: "List the stored backups, newest first", response: answers(BackupList) },
    },
    async () => ok(await describeBackups({ db, pool }, openBackupStorage(settings.current(), dataDir))),
  );

  app.post(
    "/option/backups/run",
    {
      config: { access: "root", rateLimit: RUN_LIMIT },
      schema: { summary: "Write a backup now", response: answers(Nothing) },
    },
    async (request) => {
      await manualBackup.start();
      await writeAudit(db, {
        actor: viewerOf(request),
        action: "backup.run",
        targetType: "backup",
        targetId: "now",
        after: { place: settings.current().BackupPlace },
      });
      return ok(null);
    },
  );
}
