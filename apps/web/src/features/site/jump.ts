/** Schemes of allowed chat apps. Any other address would make this an open redirect. */
const schemes = new Set(["opencat:", "ama:"]);

/** Returns the app's address in `?url=`; null when it is missing or not allowed. */
export function appAddress(search: string): string | null {
  const url = URL.parse(new URLSearchParams(search).get("url") ?? "");
  return url !== null && schemes.has(url.protocol) ? url.href : null;
}
