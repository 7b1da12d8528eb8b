import type { Wire } from "#dialects/dialect.ts";
import { invalidRequest } from "#errors.ts";
import { repeatedKeys } from "./repeated-keys.ts";

/**
 * A request must mean the same to us and to every provider. JSON readers differ in two points: of a repeated key some
 * take the first value and some the last, and some match keys without regard to case (Go's encoding/json). Such a
 * request is refused where we read it; in free-form areas (schemas, metadata, arguments) it is written anew.
 */
export interface Reading {
  /** Every spelling under which a field is known here. */
  known: ReadonlySet<string>;
  /** The known fields by their folded name. */
  folded: ReadonlyMap<string, string>;
  /** Fields whose content belongs to the caller. */
  freeForm: ReadonlySet<string>;
  fold(key: string): string;
}

/** As case-insensitive readers see a key, and somewhat beyond: U+017F is an s, U+212A a k, U+0130 an i. */
export function foldName(key: string): string {
  return key
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[\p{M}\p{C}\s]/gu, "");
}

/** JSON of protocol buffers also takes `max_output_tokens` for `maxOutputTokens`. */
export function foldProtoName(key: string): string {
  return foldName(key).replaceAll("_", "");
}

/** Most keys look like this and fold to themselves. */
const plainKey = /^[a-z0-9_]+$/;

/**
 * Throws `invalid_request` that names the field when the body could be read in two ways. True when the body must be
 * written anew because a key is repeated in a free-form area.
 * @param keys how many keys the text has, repeated ones included
 */
export function requireOneReading(body: Wire, text: Buffer, keys: number, reading: Reading): boolean {
  let counted = 0;

  function count(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const each of value) if (typeof each === "object") count(each);
      return;
    }
    const names = Object.keys(value);
    counted += names.length;
    for (const name of names) count((value as Wire)[name]);
  }

  function check(value: unknown, path: string): void {
    if (typeof value !== "object" || value === null) return;
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

function requireSpelling(name: string, seen: Map<string, string>, path: string, reading: Reading): void {
  const folded = reading.fold(name);
  const known = reading.folded.get(folded);
  if (known !== undefined && !reading.known.has(name))
    throw invalidRequest({ reason: "field_spelling", field: path + name, standard: known });
  const other = seen.get(folded);
  if (other !== undefined)
    throw invalidRequest({ reason: "field_spelling_differs", other: path + other, field: path + name });
  seen.set(folded, name);
}
