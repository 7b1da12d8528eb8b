/** What the overview computes from the server's figures. Pure. */
import type { Compared, Traffic } from "@gateway/shared/usage/overview";

/** Change as a share of before; null when there was nothing before. */
export function changeOf({ now, before }: Compared): number | null {
  return before === 0 ? null : (now - before) / before;
}

/** Failed calls as a share of all; null without calls. */
export function errorRate({ requests, failed }: Pick<Traffic, "requests" | "failed">): {
  now: number | null;
  before: number | null;
} {
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return { now: share(failed.now, requests.now), before: share(failed.before, requests.before) };
}
