import { compactDays } from "#domain/logs/compact-days.ts";
import { isUpgradeOver } from "#platform/database/upgrades.ts";
import type { Job } from "./job.ts";

/** Rewrites days of the request log that have ended in a shorter form. */
export const compactLogDays: Job = {
  name: "compact-log-days",
  every: "47 3 * * *",
  async run({ pool, stopping }) {
    // Nodes of 0.2.0 cannot read the short form.
    if (await isUpgradeOver(pool, "20261128140500_log_facts")) await compactDays(pool, { stopping });
  },
};
