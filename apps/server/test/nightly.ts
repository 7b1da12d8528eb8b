/**
 * Options of a test that `npm test` leaves out and `pnpm verify:server` runs: the rest of an exhaustive list, or what
 * waits for real times.
 */
export function nightly(isNightly: boolean): { tags?: string } {
  return isNightly ? { tags: "nightly" } : {};
}
