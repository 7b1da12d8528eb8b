/** The check of scheduled backups. */
import { backupFailure } from "#domain/backups/backup-records.ts";
import { openBackupStorage } from "#domain/backups/scheduled-backup.ts";
import { listBackups } from "#domain/backups/stored-backups.ts";
import { currentTime } from "#platform/clock.ts";
import { ok, problem, type Subject, timeText, warning } from "./finding.ts";

const hourMs = 3_600_000;

export async function backups({ env, settings, database: { db } }: Subject) {
  const current = await settings();
  if (!current.BackupEnabled) return warning("backups_off");
  const storage = openBackupStorage(current, env.DATA_DIR);
  const { place } = storage;
  const [newest] = await listBackups(storage);
  const failure = await db.notice.findFirst({
    where: {
      ...backupFailure,
      ...(newest && { created_time: { gt: newest.createdAt } }),
    },
    orderBy: { id: "desc" },
    select: { facts: true },
  });
  const failed = failure === null ? [] : problem("backup_failed", { detail: reasonIn(failure.facts) });
  if (newest === undefined) return [...failed, ...problem("backup_missing", { place })];
  const hours = (currentTime().getTime() - newest.createdAt.getTime()) / hourMs;
  const found = { place, time: timeText(newest.createdAt) };
  // The job runs every hour.
  const isOld = hours > current.BackupHours + 2;
  return [...failed, ...(isOld ? problem("backup_old", found) : ok("backup_recent", found))];
}

function reasonIn(facts: unknown): string {
  const reason = typeof facts === "object" && facts !== null && "reason" in facts ? facts.reason : "";
  return typeof reason === "string" ? reason.replace(/\.$/, "") : "";
}
