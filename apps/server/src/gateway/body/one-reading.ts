import type { Wire } from "#dialects/dialect.ts";
import { isExactNumber } from "#dialects/json/exact-json.ts";
import { invalidRequest } from "#errors.ts";
import { repeatedKeys } from "./repeated-keys.ts";

/**
 * Ensures that a request means the same to us and to every provider. JSON parsers differ in two points. Of a
 * repeated key, some use the first value and some the last. Some match keys case-insensitively (Go's
 * encoding/json). We reject such requests in fields that we read, and rewrite them in free-form areas
 * (schemas, metadata, arguments).
 */
export interface FieldSpellings {
  /** All accepted spellings of known fields. */
  known: ReadonlySet<string>;
  /** Known fields by their folded name. */
  folded: ReadonlyMap<string, string>;
  /** Fields whose content belongs to the caller. */
  freeForm: ReadonlySet<string>;
  fold(key: string): string;
}

/** Folds a key as case-insensitive parsers do, and slightly more: U+017F is an s, U+212A a k, U+0130 an i. */
export function foldName(key: string): string {
  return key
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[\p{M}\p{C}\s]/gu, "");
}

/** Folds a key of protocol-buffer JSON, which also accepts `max_output_tokens` for `maxOutputTokens`. */
export function foldProtoName(key: string): string {
  return foldName(key).replaceAll("_", "");
}

/** Most keys match this and fold to themselves. */
const plainKey = /^[a-z0-9_]+$/;

/**
 * Throws `invalid_request` with the field when the body is ambiguous. Returns true when the body must be
 * rewritten because a key is repeated in a free-form area.
 * @param keys number of keys in the text, including repeated ones
 */
export function requireOneReading(body: Wire, text: Buffer, keys: number, reading: FieldSpellings): boolean {
  let counted = 0;

  function count(value: unknown): void {
    if (typeof value !== "object" || value === null || isExactNumber(value)) return;
    if (Array.isArray(value)) {
      for (const each of value) if (typeof each === "object") count(each);
      return;
    }
    const names = Object.keys(value);
    counted += names.length;
    for (const name of names) count((value as Wire)[name]);
  }

  function check(value: unknown, path: string): void {
    if (typeof value !== "object" || value === null || isExactNumber(value)) return;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1)
        if (typeof value[index] === "object") check(value[index], `${path}${index}.`);
      return;
    }
    const names = Object.keys(value);
    counted += names.length;
    let seen: Map<string, string> | undefined;
    if (names.some((name) => !plainKey.test(name))) seen = new Map();
    for (const name of names) {
      if (seen !== undefined) requireSpelling(name, seen, path, reading);
      const inner = (value as Wire)[name];
      if (typeof inner !== "object" || inner === null) continue;
      if (reading.freeForm.has(name)) count(inner);
      else check(inner, `${path}${name}.`);
    }
  }

  check(body, "");
  if (counted === keys) return false;
  const repeated = repeatedKeys(text.toString("utf8"), reading.freeForm);
  if (repeated !== undefined) throw invalidRequest({ reason: "field_repeated", field: repeated });
  return true;
}

function requireSpelling(
  name: string,
  seen: Map<string, string>,
  path: string,
  reading: FieldSpellings,
): void {
  const folded = reading.fold(name);
  const known = reading.folded.get(folded);
  if (known !== undefined && !reading.known.has(name))
    throw invalidRequest({ reason: "field_spelling", field: path + name, standard: known });
  const other = seen.get(folded);
  if (other !== undefined)
    throw invalidRequest({ reason: "field_spelling_differs", other: path + other, field: path + name });
  seen.set(folded, name);
}
