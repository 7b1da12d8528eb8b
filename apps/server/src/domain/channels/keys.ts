import { parseRecord } from "#dialects/wire.ts";

/**
 * Splits text into distinct keys, one per line. A JSON document is one key, whatever its line breaks: some
 * providers issue such keys.
 */
export function keysOf(text: string): string[] {
  if (text.trimStart().startsWith("{")) {
    const document = parseRecord(text);
    if (document !== undefined) return [JSON.stringify(document)];
  }
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ""))];
}
