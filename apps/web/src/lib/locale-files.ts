/** The messages of the locale files, for tests. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the texts of a language by their key: those of a namespace, or of all. */
export function messagesOf(language: string, namespace?: string): Record<string, string> {
  const folder = join(import.meta.dirname, "../locales", language);
  const files = namespace === undefined ? readdirSync(folder) : [`${namespace}.json`];
  return Object.assign(
    {},
    ...files.map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as unknown),
  ) as Record<string, string>;
}
