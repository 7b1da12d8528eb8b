import { completeIndexes } from "#domain/logs/partition-indexes.ts";
import type { Job } from "./job.ts";

/** Builds the log indexes of a new version on older partitions. */
export const completeLogIndexes: Job = {
  name: "complete-indexes",
  every: "41 * * * *",
  atStart: true,
  async run({ pool }) {
    await completeIndexes(pool);
  },
};
