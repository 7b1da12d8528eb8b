import { backupJob, recordBackup } from "#domain/backups/backup-records.ts";
import { backupIfDue } from "#domain/backups/scheduled-backup.ts";
import type { Job } from "./job.ts";

/** Writes a backup when one is due. A failure fails the job, so that administrators are notified of its reason. */
export const writeBackups: Job = {
  name: backupJob,
  every: "7 * * * *",
  async run({ db, backups, probe, stopping }) {
    try {
      const report = await backupIfDue(backups, probe.settings.current(), stopping);
      if (report !== undefined) await recordBackup(db, report, backups.version);
    } catch (error) {
      // The next node that finds it due begins again.
      if (!stopping.aborted) throw error;
    }
  },
};
