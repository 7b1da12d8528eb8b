/** The chat apps that may be opened from here; any other address could lead people astray. */
const schemes = new Set(["opencat:", "ama:"]);

/** The app's address in `?url=`; null when there is none, or none that may be opened. */
export function appAddress(search: string): string | null {
  const url = URL.parse(new URLSearchParams(search).get("url") ?? "");
  return url !== null && schemes.has(url.protocol) ? url.href : null;
}
