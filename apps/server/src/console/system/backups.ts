import { BackupList } from "@gateway/shared/site/backup-list";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { describeBackups } from "#domain/backups/backup-records.ts";
import { openBackupStorage } from "#domain/backups/scheduled-backup.ts";

/** Requests of a session within a minute. Each one lists a folder or a bucket. */
const LIST_LIMIT = { max: 30, timeWindow: 60_000 };

export function backupRoutes(app: ConsoleApp, { db, dataDir, settings }: Services): void {
  app.get(
    "/option/backups",
    {
      config: { access: "admin", permission: "settings", rateLimit: LIST_LIMIT },
      schema: { summary: "List the stored backups, newest first", response: answers(BackupList) },
    },
    async () => ok(await describeBackups(db, openBackupStorage(settings.current(), dataDir))),
  );
}
