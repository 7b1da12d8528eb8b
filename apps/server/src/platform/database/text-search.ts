/** Conditions on text, in whatever case. What the database would read as a wildcard is meant as it is written. */

export function contains(text: string) {
  return { contains: literally(text), mode: "insensitive" as const };
}

export function begins(text: string) {
  return { startsWith: literally(text), mode: "insensitive" as const };
}

/** The pattern of LIKE for what begins so. */
export function beginning(text: string): string {
  return `${literally(text)}%`;
}

function literally(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}
