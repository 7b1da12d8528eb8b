/** Case-insensitive text conditions. Wildcard characters in the text match literally. */

export function containsText(text: string) {
  return { contains: literally(text), mode: "insensitive" as const };
}

export function startsWithText(text: string) {
  return { startsWith: literally(text), mode: "insensitive" as const };
}

/** Returns the LIKE pattern for texts that begin with `text`. */
export function startsWithPattern(text: string): string {
  return `${literally(text)}%`;
}

function literally(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}
