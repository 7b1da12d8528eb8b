/** The log from that time on, narrowed. */
export function logAddress(since: number, filter: Record<string, string | number>): string {
  const search = new URLSearchParams({ range: "custom", from: String(since) });
  for (const [name, value] of Object.entries(filter)) search.set(name, String(value));
  return `/panel/log?${search.toString()}`;
}
