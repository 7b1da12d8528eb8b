import { invalidRequest } from "#errors.ts";

/** Texts that Postgres can store: no NUL, and no half of a surrogate pair. */

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Throws `invalid_request` with the path of the first text that cannot be stored. */
export function requireStorable(value: unknown, path: string): void {
  if (typeof value === "string") {
    if (!isStorable(value))
      throw invalidRequest(
        `The field "${path}" has a character that cannot be stored: NUL, or half of a surrogate pair.`,
        path,
      );
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const below = path === "" ? key : `${path}.${key}`;
    requireStorable(key, path === "" ? "a name" : path);
    requireStorable(inner, below);
  }
}

/** The same value with a replacement character for what cannot be stored: a model wrote it, no one can correct it. */
export function storable<T>(value: T): T {
  if (typeof value === "string") {
    const text = isStorable(value) ? value : value.replaceAll("\0", "\uFFFD").toWellFormed();
    // A string stays a string.
    return text as T & string;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(storable) as T & unknown[];
  const entries = Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]);
  return Object.fromEntries(entries) as T;
}
