import { dropUserHours } from "#domain/usage/drop-user-hours.ts";
import type { Job } from "./job.ts";

/** Drops sums by hour that usage_hours has as well. */
export const dropHoursOfUsers: Job = {
  name: "drop-user-hours",
  // Not at a start: nodes of an earlier version, which read these sums, stop before the first run.
  every: "33 3 * * *",
  async run({ pool, stopping }) {
    await dropUserHours(pool, stopping);
  },
};
