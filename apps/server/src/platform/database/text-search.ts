/** Case-insensitive text conditions. Wildcard characters in the text match literally. */

export function contains(text: string) {
  return { contains: literally(text), mode: "insensitive" as const };
}

export function begins(text: string) {
  return { startsWith: literally(text), mode: "insensitive" as const };
}

/** Returns the LIKE pattern for texts that begin with `text`. */
export function beginning(text: string): string {
  return `${literally(text)}%`;
}

function literally(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}
