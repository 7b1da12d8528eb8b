/**
 * Counts below zero in a provider's usage. They are never billed, and a client that adds up its usage must not
 * receive them either. Pure.
 */

/** A count of tokens, in the spelling of any dialect, with a negative number. */
const negative = /("\w*(?:tokens|TokenCount)"\s*:\s*)-\d[\d.eE+-]*/gi;

/** Returns the JSON text with zero in place of negative token counts; the same text where there are none. */
export function withoutNegativeCounts(json: string): string {
  // Nearly every response ends the search here. Text of the model is in strings, whose quotes are escaped.
  return json.includes("_tokens") || json.includes("TokenCount") ? json.replace(negative, "$10") : json;
}
