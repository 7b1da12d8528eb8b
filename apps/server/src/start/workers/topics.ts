/** What workers report to each other. */
export const METRICS = "metrics";
export const LOG = "log";
export const CHANGES = "changes";
