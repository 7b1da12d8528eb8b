import { closeHours } from "#domain/usage/close-hours.ts";
import type { Job } from "./job.ts";

/** Aggregates completed hours for the analytics screen. */
export const closeUsageHours: Job = {
  name: "close-usage-hours",
  every: "12 * * * *",
  async run({ pool }) {
    await closeHours(pool);
  },
};
