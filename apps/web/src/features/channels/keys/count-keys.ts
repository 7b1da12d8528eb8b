/** Counts like the server: a JSON document is one key, else each distinct line is one. */
export function countKeys(text: string): number {
  if (text.trimStart().startsWith("{")) {
    try {
      JSON.parse(text);
      return 1;
    } catch {
      // Lines, then.
    }
  }
  return new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ).size;
}
