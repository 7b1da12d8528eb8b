/** Width of a label in letters of usual width; more would cover the next column. */
const mostWidth = 24;

function widthOf(letter: string): number {
  if (/[\u1100-\u115f\u2e80-\uffef]|[\u{10000}-\u{10ffff}]/u.test(letter)) return 2;
  return /[A-Zmw@%]/.test(letter) ? 1.5 : 1;
}

/** Shortens a name to the width of a column, in any script. */
export function shortName(name: string): string {
  let width = 0;
  let short = "";
  for (const letter of name) {
    width += widthOf(letter);
    if (width > mostWidth) return `${short}…`;
    // Room for the ellipsis.
    if (width < mostWidth) short += letter;
  }
  return name;
}
