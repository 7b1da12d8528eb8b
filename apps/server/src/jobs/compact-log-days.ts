import { compactDays } from "#domain/logs/compact-days.ts";
import type { Job } from "./job.ts";

/** Rewrites days of the request log that have ended in a shorter form. */
export const compactLogDays: Job = {
  name: "compact-log-days",
  // Not at a start: nodes of an earlier version, which do not know the form, stop before the first run.
  every: "47 3 * * *",
  async run({ pool, stopping }) {
    await compactDays(pool, { stopping });
  },
};
