import { completeIndexes } from "#domain/logs/partition-indexes.ts";
import type { Job } from "./job.ts";

/** Builds on old days of the log what a new version wants to search them by. */
export const completeLogIndexes: Job = {
  name: "complete-indexes",
  every: "41 * * * *",
  atStart: true,
  async run({ pool }) {
    await completeIndexes(pool);
  },
};
