/** Figures that the overview computes from the server's data. Pure. */
import type { PeriodComparison, Traffic } from "@gateway/shared/usage/overview";

/** Returns the change as a share of the previous value; null when that was zero. */
export function changeOf({ now, before }: PeriodComparison): number | null {
  return before === 0 ? null : (now - before) / before;
}

/** Returns failed calls as a share of all; null without calls. */
export function errorRate({ requests, failed }: Pick<Traffic, "requests" | "failed">): {
  now: number | null;
  before: number | null;
} {
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return { now: share(failed.now, requests.now), before: share(failed.before, requests.before) };
}
