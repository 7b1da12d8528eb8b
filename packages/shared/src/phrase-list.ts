/** Splits a list with one phrase per line into trimmed, lower-case phrases for comparison. */
export function phrasesOf(list: string): string[] {
  return list
    .split("\n")
    .map((phrase) => phrase.trim().toLowerCase())
    .filter((phrase) => phrase !== "");
}
