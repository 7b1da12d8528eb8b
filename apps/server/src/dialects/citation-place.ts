import type { Citation } from "./ir.ts";

/**
 * Returns the citation with its offsets, for formats that require them: its own offsets, else those of the
 * cited text, else the whole text so far. Pure.
 * @param offset length of the text before this one
 */
export function placeCitation(citation: Citation, text: string, offset = 0): Citation {
  const { start, end, citedText } = citation;
  if (start !== undefined && end !== undefined)
    return offset === 0 ? citation : { ...citation, start: start + offset, end: end + offset };
  const at = citedText === undefined || citedText === "" ? -1 : text.lastIndexOf(citedText);
  const from = at === -1 ? 0 : at;
  const to = at === -1 ? text.length : at + (citedText?.length ?? 0);
  return { ...citation, start: from + offset, end: to + offset };
}
