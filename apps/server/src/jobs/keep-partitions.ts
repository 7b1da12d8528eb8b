import { dropPartitions, dropPartitionsBeyond, ensurePartitions } from "#domain/logs/partitions.ts";
import type { Job } from "./job.ts";

/** Number of future days with log partitions. */
const DAYS_AHEAD = 7;

const GIGABYTE = 1_000_000_000;

/** Creates the next days' partitions of the request log, and drops those past the retention limits. */
export const keepPartitions: Job = {
  name: "keep-partitions",
  every: "7 * * * *",
  async run({ pool, probe }) {
    await ensurePartitions(pool, DAYS_AHEAD);
    const { LogRetentionDays, LogRetentionGigabytes, BodyRetentionDays } = probe.settings.current();
    if (LogRetentionDays > 0) await dropPartitions(pool, LogRetentionDays);
    await dropPartitions(pool, BodyRetentionDays, { only: "request_bodies" });
    if (LogRetentionGigabytes > 0) await dropPartitionsBeyond(pool, LogRetentionGigabytes * GIGABYTE);
  },
};
