import { packDays } from "#domain/usage/days/pack-days.ts";
import { isUpgradeOver } from "#platform/database/upgrades.ts";
import type { Job } from "./job.ts";

/** Moves hours of days that have ended into one row per day. */
export const packUsageDays: Job = {
  name: "pack-usage-days",
  every: "23 4 * * *",
  async run({ pool, stopping }) {
    // Nodes of 0.2.0 read usage_hours only.
    if (await isUpgradeOver(pool, "20261129205300_usage_days")) await packDays(pool, stopping);
  },
};
