import type { Job } from "./job.ts";

/** Exports hours of the request log that have ended. A failure fails the job, so that administrators are notified of it. */
export const exportLog: Job = {
  name: "export-log",
  every: "*/5 * * * *",
  restingEvery: "4 * * * *",
  run: ({ logExport, stopping }) => logExport.exportIfDue(stopping),
};
