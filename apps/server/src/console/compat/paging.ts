/** One Hub takes a page or a size below 1, and none, for the first page and for ten rows. */
export function inOneHubPages(query: unknown): unknown {
  if (typeof query !== "object" || query === null) return query;
  const paged: Record<string, unknown> = { ...query };
  // A cursor is ours; who has one counts no pages.
  if (isUnset(paged["page"]) && isUnset(paged["cursor"])) paged["page"] = "1";
  if (isUnset(paged["size"])) paged["size"] = "10";
  return paged;
}

function isUnset(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "string" && /^-?\d+$/.test(value) && Number(value) < 1;
}
