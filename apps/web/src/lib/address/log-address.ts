import { localDay } from "./day-ranges.ts";

/**
 * Returns the address of the log with filters.
 * @param since unix seconds
 * @param until unix seconds; 0 = open
 */
export function logAddress(since: number, filter: Record<string, string | number>, until = 0): string {
  const search = new URLSearchParams({ range: "custom", from: String(since) });
  if (until > 0) search.set("to", String(until));
  for (const [name, value] of Object.entries(filter)) search.set(name, String(value));
  return `/panel/log?${search.toString()}`;
}

/**
 * Returns the address of the log with the calls of local days, both included.
 * @param first YYYY-MM-DD, like `last`
 */
export function logAddressOfDays(
  { first, last }: { first: string; last: string },
  filter: Record<string, string | number>,
): string {
  const end = localDay(last);
  end.setDate(end.getDate() + 1);
  return logAddress(localDay(first).getTime() / 1000, filter, end.getTime() / 1000 - 1);
}
