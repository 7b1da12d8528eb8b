/** The phrases of a list with one per line, as they are compared: without blanks around them, in lower case. */
export function phrasesOf(list: string): string[] {
  return list
    .split("\n")
    .map((phrase) => phrase.trim().toLowerCase())
    .filter((phrase) => phrase !== "");
}
