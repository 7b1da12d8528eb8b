/** States of a task, and the platforms that run tasks. */
export const taskStatuses = [
  "NOT_START",
  "SUBMITTED",
  "QUEUED",
  "IN_PROGRESS",
  "FAILURE",
  "SUCCESS",
  "UNKNOWN",
] as const;

/** "" means all. */
export const taskPlatforms = ["", "suno", "kling"] as const;
