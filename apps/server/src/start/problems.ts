import { backupJob } from "#domain/backups/backup-records.ts";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import type { LogExport } from "#domain/logs/export/log-export.ts";
import type { InvalidChanges } from "#domain/notices/invalid-changes.ts";
import type { StorageWatch } from "#domain/notices/storage.ts";
import type { Replica } from "#platform/database/replica/replica.ts";

interface Watched {
  storage: Pick<StorageWatch, "isWritable">;
  logExport: Pick<LogExport, "isFailing">;
  failedJobs: ReadonlySet<string>;
  keyReferences: Pick<KeyReferences, "isFailing">;
  invalidChanges: Pick<InvalidChanges, "areRecent">;
  reports: { isFailing(): boolean };
  replica: Pick<Replica, "state"> | undefined;
}

/** Returns what does not work although calls are served, as `/api/ready` names it. */
export function listProblems(watched: Watched): string[] {
  const problems = {
    data_dir_unwritable: !watched.storage.isWritable(),
    log_export_failing: watched.logExport.isFailing(),
    backup_failing: watched.failedJobs.has(backupJob),
    channel_key_unreadable: watched.keyReferences.isFailing(),
    scim_change_invalid: watched.invalidChanges.areRecent(),
    telemetry_not_accepted: watched.reports.isFailing(),
  };
  const found = Object.entries(problems).flatMap(([name, isPresent]) => (isPresent ? name : []));
  const replica = watched.replica?.state().problem;
  return replica === undefined ? found : [...found, replica];
}
