import type { Wire } from "#dialects/dialect.ts";
import { isExactNumber } from "#dialects/json/parse-json.ts";
import { invalidRequest } from "#errors.ts";

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

/**
 * Returns the first key that occurs twice in an object, outside the free-form fields; undefined when there is
 * none. The text must be valid JSON. Slow: called only when the number of keys is wrong.
 */
function repeatedKeys(text: string, freeForm: ReadonlySet<string>): string | undefined {
  let at = 0;

  function space(): void {
    while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  }

  function string(): string {
    const start = at;
    at += 1;
    while (text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
    at += 1;
    return JSON.parse(text.slice(start, at)) as string;
  }

  /** Skips one value. `path` is undefined within free-form fields. */
  function value(path: string | undefined): string | undefined {
    space();
    switch (text.charAt(at)) {
      case "{":
        return list("}", path);
      case "[":
        return list("]", path);
      case '"':
        string();
        return undefined;
      default:
        while (at < text.length && !",]}".includes(text.charAt(at))) at += 1;
        return undefined;
    }
  }

  function list(end: "}" | "]", path: string | undefined): string | undefined {
    const keys = new Set<string>();
    at += 1;
    space();
    for (let index = 0; at < text.length && text.charAt(at) !== end; index += 1) {
      let below = path === undefined ? undefined : `${path}${index}.`;
      if (end === "}") {
        const key = string();
        if (path !== undefined && keys.has(key)) return path + key;
        keys.add(key);
        below = path === undefined || freeForm.has(key) ? undefined : `${path}${key}.`;
        space();
        at += 1;
      }
      const found = value(below);
      if (found !== undefined) return found;
      space();
      if (text.charAt(at) === ",") at += 1;
      space();
    }
    at += 1;
    return undefined;
  }

  return value("");
}
