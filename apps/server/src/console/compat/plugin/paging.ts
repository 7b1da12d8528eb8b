/** Applies One Hub's defaults: a missing page or size, or one below 1, means the first page and ten rows. */
export function applyPageDefaults(query: unknown): unknown {
  if (typeof query !== "object" || query === null) return query;
  const paged: Record<string, unknown> = { ...query };
  // Cursors are not part of One Hub's API. A caller with a cursor sends no page.
  if (isUnset(paged["page"]) && isUnset(paged["cursor"])) paged["page"] = "1";
  if (isUnset(paged["size"])) paged["size"] = "10";
  return paged;
}

function isUnset(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "string" && /^-?\d+$/.test(value) && Number(value) < 1;
}
