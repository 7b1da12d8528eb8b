/**
 * Text that Postgres can store: without NUL and without unpaired surrogates. Such text from callers is
 * rejected before a provider works on it. Such text from providers is repaired, because it must be stored.
 * Pure.
 */
import { isExactNumber } from "./json/parse-json.ts";

/**
 * Returns the path of the first text that cannot be stored,
 * e.g. `properties.title`; undefined when there is none.
 */
export function unstorableIn(value: unknown, at = ""): string | undefined {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed() ? at : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const path = at === "" ? name : `${at}.${name}`;
    if (unstorableIn(name) !== undefined) return path;
    const found = unstorableIn(inner, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the value with all texts made storable. */
export function storable<T>(value: T): T {
  return unstorableIn(value, ".") === undefined ? value : (repairTexts(value) as T);
}

function repairTexts(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "").toWellFormed();
  if (Array.isArray(value)) return value.map(repairTexts);
  if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [String(repairTexts(name)), repairTexts(inner)]),
  );
}
