/** Topics that workers report on. */
export const METRICS = "metrics";
export const LOG = "log";
export const CHANGES = "changes";
