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
