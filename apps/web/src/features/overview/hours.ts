/** "14:00" in the reader's time zone. @param since unix seconds of the first hour */
export function hourText(since: number, hour: number): string {
  const start = new Date((since + hour * 3_600) * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(start.getHours())}:${two(start.getMinutes())}`;
}

/** The log from that time on, narrowed. */
export function logAddress(since: number, filter: Record<string, string | number>): string {
  const search = new URLSearchParams({ range: "custom", from: String(since) });
  for (const [name, value] of Object.entries(filter)) search.set(name, String(value));
  return `/panel/log?${search.toString()}`;
}
