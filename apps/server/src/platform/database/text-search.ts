/** Case-insensitive text conditions. Wildcard characters in the text match literally. */

export function containsText(text: string) {
  return { contains: escapePattern(text), mode: "insensitive" as const };
}

export function startsWithText(text: string) {
  return { startsWith: escapePattern(text), mode: "insensitive" as const };
}

/** Returns the LIKE pattern for texts that begin with `text`. */
export function startsWithPattern(text: string): string {
  return `${escapePattern(text)}%`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}
