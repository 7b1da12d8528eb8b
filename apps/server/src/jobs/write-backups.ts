import { backupIfDue } from "#domain/backups/scheduled-backup.ts";
import type { Job } from "./job.ts";

/** Writes a backup when one is due. A failure fails the job, so that administrators are notified of its reason. */
export const writeBackups: Job = {
  name: "write-backups",
  every: "7 * * * *",
  async run({ backups, probe, stopping }) {
    try {
      await backupIfDue(backups, probe.settings.current(), stopping);
    } catch (error) {
      // The next node that finds it due begins again.
      if (!stopping.aborted) throw error;
    }
  },
};
