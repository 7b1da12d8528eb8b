/** JSON Schemas as data: which of their keywords contain schemas. Pure. */
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";

/** Keywords whose members are schemas by name. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose value is a schema, or a list of schemas. */
const nested = new Set([
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "additionalProperties",
  "contains",
  "propertyNames",
]);

/** Schemas are nested less deeply; bodies are limited anyway. */
const MAX_DEPTH = 100;

/**
 * Returns the schema with each schema inside it changed, the innermost first; the same object when nothing
 * changes. Values of `enum`, `const`, `default` and `examples` are data and stay as they are.
 */
export function mapSchema(schema: Wire, change: (schema: Wire) => Wire, depth = 0): Wire {
  if (depth > MAX_DEPTH) return schema;
  let next = schema;
  const set = (key: string, value: unknown) => {
    if (next === schema) next = { ...schema };
    next[key] = value;
  };
  for (const [key, value] of Object.entries(schema)) {
    if (named.has(key)) {
      const members = asRecord(value);
      const mapped = members === undefined ? undefined : mapMembers(members, change, depth);
      if (mapped !== members) set(key, mapped);
    } else if (nested.has(key)) {
      const mapped = mapNested(value, change, depth);
      if (mapped !== value) set(key, mapped);
    }
  }
  return change(next);
}

function mapNested(value: unknown, change: (schema: Wire) => Wire, depth: number): unknown {
  if (Array.isArray(value)) {
    const list = value.map((each: unknown) => mapNested(each, change, depth + 1));
    return list.some((each, at) => each !== value[at]) ? list : value;
  }
  const inner = asRecord(value);
  return inner === undefined ? value : mapSchema(inner, change, depth + 1);
}

function mapMembers(members: Wire, change: (schema: Wire) => Wire, depth: number): Wire {
  const entries = Object.entries(members).map(
    ([name, each]) => [name, mapNested(each, change, depth)] as const,
  );
  return entries.some(([name, each]) => each !== members[name]) ? Object.fromEntries(entries) : members;
}

/** Returns whether an object anywhere inside the value has one of these keys. */
export function hasKey(value: unknown, keys: ReadonlySet<string>, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.some((each) => hasKey(each, keys, depth + 1));
  return Object.entries(value).some(([key, each]) => keys.has(key) || hasKey(each, keys, depth + 1));
}

/** Returns the schema at a local reference: `#`, or a JSON pointer such as `#/$defs/Name`. */
export function schemaAt(root: Wire, reference: unknown): Wire | undefined {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = (at as unknown[])[Number(name)];
    else {
      const inner = asRecord(at);
      at = inner !== undefined && Object.hasOwn(inner, name) ? inner[name] : undefined;
    }
  }
  return asRecord(at);
}

/** Returns the description with a remark after it. */
export function descriptionWith(schema: Wire, remark: string): string {
  const { description } = schema;
  return typeof description === "string" && description !== "" ? `${description}\n\n${remark}` : remark;
}

/** Returns the object without these keys. */
export function withoutKeys(wire: Wire, keys: ReadonlySet<string>): Wire {
  return Object.fromEntries(Object.entries(wire).filter(([key]) => !keys.has(key)));
}
