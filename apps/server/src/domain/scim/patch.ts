/**
 * PATCH of SCIM (RFC 7644, section 3.5.2), as Entra ID and Okta send it: with and without paths, operations in any
 * case, booleans as texts, and one comparison in brackets.
 */
import { z } from "zod";
import { invalidRequest } from "#errors.ts";
import { invalidValue, isObject, type Json } from "./resource.ts";

const Operation = z.looseObject({
  op: z
    .string()
    .transform((op) => op.toLowerCase())
    .pipe(z.enum(["add", "replace", "remove"])),
  path: z.string().trim().max(500).nullish(),
  value: z.unknown().optional(),
});
type Operation = z.output<typeof Operation>;

const PatchBody = z.looseObject({ Operations: z.array(Operation).min(1).max(1_000) });

/** Parses the body of a PATCH. Throws `invalid_request`. */
export function parsePatch(body: unknown): Operation[] {
  const operations = isObject(body) ? (body["Operations"] ?? body["operations"]) : undefined;
  const result = PatchBody.safeParse({ Operations: operations });
  if (result.success) return result.data.Operations;
  throw invalidValue(result.error.issues[0]?.path.join(".") ?? "Operations");
}

/** Returns the resource after the operations. Throws `invalid_request`; the given resource is not changed. */
export function patchResource(resource: Json, operations: readonly Operation[]): Json {
  const patched = structuredClone(resource);
  for (const operation of operations) apply(patched, operation);
  return patched;
}

function apply(resource: Json, { op, path, value }: Operation): void {
  if (path === null || path === undefined || path === "") {
    if (op === "remove" || !isObject(value)) throw invalidValue("value");
    // Without a path, each name of the value is a path.
    for (const [name, part] of Object.entries(value)) setAt(resource, parsePath(name), op, part);
    return;
  }
  if (op === "remove") removeAt(resource, parsePath(path), value);
  else setAt(resource, parsePath(path), op, value);
}

interface Path {
  /** The attribute, or the URN of an extension. */
  name: string;
  /** Comparison with the entries of a list: `emails[type eq "work"]`. */
  filter?: { name: string; value: unknown };
  /** Attribute of the value: `name.familyName`. */
  sub?: string;
}

const extension = /^(urn:[\w:.-]+:(?:User|Group))(?::(\w+))?$/i;
const attribute = /^(\w+)(?:\[\s*(\w+)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*\])?(?:\.(\$?\w+))?$/i;
const coreUrn = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;

function parsePath(text: string): Path {
  const path = text.replace(coreUrn, "");
  const extended = extension.exec(path);
  const match = extended === null ? attribute.exec(path) : null;
  const [name, key, literal, sub] =
    extended === null ? (match?.slice(1) ?? []) : [extended[1], undefined, undefined, extended[2]];
  const value = literal === undefined ? undefined : literalOf(literal);
  const isReadable = name !== undefined && (key === undefined || value !== undefined);
  if (!isReadable || [name, key, sub].some((part) => part !== undefined && inherited.has(part)))
    throw invalidRequest({ reason: "scim_path_unsupported", path: path.slice(0, 100) });
  return {
    name,
    ...(key === undefined ? {} : { filter: { name: key, value } }),
    ...(sub === undefined ? {} : { sub }),
  };
}

/** Returns the value of a literal; undefined for a text with invalid escapes. */
function literalOf(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('"') ? text : text.toLowerCase());
  } catch {
    return undefined;
  }
}

/** Names that objects inherit. */
const inherited = new Set(["__proto__", "constructor", "prototype"]);

/** Returns the name under which the object has this attribute. Names are not case-sensitive. */
function ownName(object: Json, name: string): string {
  return Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;
}

function setAt(resource: Json, { name, filter, sub }: Path, op: "add" | "replace", given: unknown): void {
  const key = ownName(resource, name);
  const value = asSent(key, given);
  const current = resource[key];
  if (filter !== undefined) {
    const list = Array.isArray(current) ? (current as unknown[]) : [];
    const found = list.filter((entry) => matches(entry, filter));
    // Entra ID sets attributes of an entry that does not exist yet.
    const entry: Json = { [filter.name]: filter.value };
    if (found.length === 0) list.push(entry);
    for (const each of found.length === 0 ? [entry] : found) {
      if (sub === undefined) Object.assign(each as Json, isObject(value) ? value : { value });
      else (each as Json)[sub] = value;
    }
    resource[key] = list;
    return;
  }
  if (sub !== undefined) {
    const inner: Json = isObject(current) ? current : {};
    inner[ownName(inner, sub)] = value;
    resource[key] = inner;
    return;
  }
  if (op === "add" && Array.isArray(current)) {
    resource[key] = addEntries(current as unknown[], Array.isArray(value) ? (value as unknown[]) : [value]);
    return;
  }
  resource[key] = isObject(current) && isObject(value) ? { ...current, ...value } : value;
}

/** Adds entries; one with the same `value` replaces the earlier one. */
function addEntries(list: readonly unknown[], more: readonly unknown[]): unknown[] {
  const keyOf = (entry: unknown) => (isObject(entry) && "value" in entry ? entry["value"] : entry);
  return [...new Map([...list, ...more].map((entry) => [keyOf(entry), entry])).values()];
}

function removeAt(resource: Json, { name, filter, sub }: Path, value: unknown): void {
  const key = ownName(resource, name);
  const current = resource[key];
  if (filter !== undefined) {
    if (!Array.isArray(current)) return;
    if (sub === undefined) resource[key] = current.filter((entry) => !matches(entry, filter));
    else for (const entry of current) if (matches(entry, filter)) delete (entry as Json)[sub];
    return;
  }
  if (sub !== undefined) {
    if (isObject(current)) delete current[ownName(current, sub)];
    return;
  }
  // Entra ID removes members with a list of values instead of a comparison.
  if (Array.isArray(current) && Array.isArray(value)) {
    const gone = new Set(value.map((entry: unknown) => (isObject(entry) ? entry["value"] : entry)));
    resource[key] = current.filter((entry: unknown) => !gone.has(isObject(entry) ? entry["value"] : entry));
    return;
  }
  delete resource[key];
}

function matches(entry: unknown, { name, value }: { name: string; value: unknown }): boolean {
  return isObject(entry) && entry[ownName(entry, name)] === value;
}

/** Entra ID sends `active` as the text "True" or "False". */
function asSent(name: string, value: unknown): unknown {
  if (name.toLowerCase() !== "active" || typeof value !== "string") return value;
  const text = value.toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
}
