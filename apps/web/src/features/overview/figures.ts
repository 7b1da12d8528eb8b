/** What the overview computes from the server's figures. Pure. */
import type { ChannelHealth, Compared, Traffic } from "@gateway/shared/usage/overview";

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

export type Health = {
  calls: number;
  failed: number;
  /** Attempts that succeeded, as a share; null without any. */
  success: number | null;
};

/** Calls and attempts of 24 hours: what another channel had to serve counts as a failure of this one. */
export function healthOf({ requests, failed, rescued }: ChannelHealth): Health {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const calls = sum(requests) + sum(rescued);
  const bad = sum(failed) + sum(rescued);
  return { calls, failed: bad, success: calls === 0 ? null : (calls - bad) / calls };
}

/** Attempts of one hour, and how many of them failed. */
export function hourOf(
  { requests, failed, rescued }: ChannelHealth,
  hour: number,
): { calls: number; failed: number } {
  const more = rescued[hour] ?? 0;
  return { calls: (requests[hour] ?? 0) + more, failed: (failed[hour] ?? 0) + more };
}
