import { dropUserHours } from "#domain/usage/drop-user-hours.ts";
import { isUpgradeOver } from "#platform/database/upgrades.ts";
import type { Job } from "./job.ts";

/** Drops sums by hour that usage_hours has as well. */
export const dropHoursOfUsers: Job = {
  name: "drop-user-hours",
  every: "33 3 * * *",
  async run({ pool, stopping }) {
    // Nodes of 0.2.0 read these sums.
    if (await isUpgradeOver(pool, "20261128141000_usage_model_index")) await dropUserHours(pool, stopping);
  },
};
