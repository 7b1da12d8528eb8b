/**
 * The input of a tool as one plain object. Most providers reject a whole request when the root of a tool's
 * schema is a union, a reference, or anything but an object.
 */
import { append } from "#dialects/append.ts";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { descriptionWith, schemaAt, withoutKeys } from "./walk.ts";

const unions = new Set(["anyOf", "oneOf", "allOf", "$ref", "not", "enum", "const", "if", "then", "else"]);
const MAX_DEPTH = 10;

interface Fields {
  /** The schemas of each property, from all alternatives. */
  properties: Map<string, unknown[]>;
  required: ReadonlySet<string>;
  /** The required properties of each alternative, where there are several. */
  alternatives: string[][];
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

const schemasIn = (value: unknown): Wire[] =>
  Array.isArray(value) ? value.map((each: unknown) => asRecord(each) ?? {}) : [];

function add(properties: Fields["properties"], name: string, schemas: unknown[]): void {
  const known = properties.get(name) ?? [];
  const knownTexts = known.map((each) => JSON.stringify(each));
  properties.set(name, [...known, ...schemas.filter((each) => !knownTexts.includes(JSON.stringify(each)))]);
}

function fieldsOf(root: Wire, given: Wire, depth: number): Fields {
  const schema = given["$ref"] === undefined ? given : { ...schemaAt(root, given["$ref"]), ...given };
  const properties: Fields["properties"] = new Map();
  const required = new Set(textsIn(schema["required"]));
  const alternatives: string[][] = [];
  for (const [name, each] of Object.entries(asRecord(schema["properties"]) ?? {}))
    add(properties, name, [each]);
  if (depth > MAX_DEPTH) return { properties, required, alternatives };
  const merge = (inner: Fields) => {
    for (const [name, schemas] of inner.properties) add(properties, name, schemas);
  };
  for (const each of schemasIn(schema["allOf"])) {
    const inner = fieldsOf(root, each, depth + 1);
    merge(inner);
    for (const name of inner.required) required.add(name);
    append(alternatives, inner.alternatives);
  }
  const choices = [...schemasIn(schema["anyOf"]), ...schemasIn(schema["oneOf"])]
    .filter(({ type }) => type !== "null")
    .map((each) => fieldsOf(root, each, depth + 1));
  for (const inner of choices) {
    merge(inner);
    alternatives.push([...inner.required]);
  }
  const [first, ...rest] = choices;
  for (const name of first?.required ?? [])
    if (rest.every((other) => other.required.has(name))) required.add(name);
  return { properties, required, alternatives };
}

/** Whether the root of a schema is a union, a reference or a single value. */
export function hasUnionRoot(schema: Wire): boolean {
  return Object.keys(schema).some((key) => unions.has(key));
}

/** Returns the schema of a tool as an object without unions at its root; the same object if it is one. */
export function objectRoot(schema: Wire): Wire {
  if (schema["type"] === "object" && !hasUnionRoot(schema)) return schema;
  const { properties, required, alternatives } = fieldsOf(schema, schema, 0);
  const rest = withoutKeys(schema, unions);
  const sets = alternatives.filter((names) => names.length > 0).map((names) => names.join(", "));
  const remark = sets.length > 1 ? `Required: ${[...new Set(sets)].join(" | ")}` : undefined;
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(
      [...properties].map(([name, schemas]) => [
        name,
        schemas.length === 1 ? schemas[0] : { anyOf: schemas },
      ]),
    ),
    ...(required.size > 0 && { required: [...required] }),
    ...(remark !== undefined && { description: descriptionWith(rest, remark) }),
  };
}
