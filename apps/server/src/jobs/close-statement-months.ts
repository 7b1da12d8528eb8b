import { closeMonths } from "#domain/usage/close-months.ts";
import type { Job } from "./job.ts";

/** Writes last month's statements once. */
export const closeStatementMonths: Job = {
  name: "close-statement-months",
  every: "10 4 * * *",
  async run({ db }) {
    await closeMonths(db);
  },
};
