import { mergeHourRows } from "#domain/ledger/bookings/book-charges.ts";
import { closeHours } from "#domain/usage/close-hours.ts";
import { currentTime } from "#platform/clock.ts";
import type { Job } from "./job.ts";

const hourMs = 3_600_000;

/** Aggregates completed hours for the analytics screen, and merges what several nodes have written to them. */
export const closeUsageHours: Job = {
  name: "close-usage-hours",
  every: "12 * * * *",
  async run({ pool }) {
    const hour = Math.floor(currentTime().getTime() / hourMs) * hourMs;
    await closeHours(pool);
    await mergeHourRows(pool, { since: new Date(hour - 4 * hourMs), until: new Date(hour - hourMs) });
  },
};
