/** The search of the lists of servers and bundles, which are loaded as a whole. */

/** The text of the search, kept in the address. */
export type ListSearch = { keyword: string; onChange: (keyword: string) => void };

/** Returns whether one of the texts contains the keyword. */
export function containsKeyword(keyword: string, texts: readonly string[]): boolean {
  const wanted = keyword.trim().toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}
