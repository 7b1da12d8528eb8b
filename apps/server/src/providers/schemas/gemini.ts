/**
 * What Gemini accepts of JSON Schema: no references, neither in schemas nor in results of tools, where it reads
 * `$ref` as the name of an attached part. https://ai.google.dev/gemini-api/docs/structured-output
 */
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { mapField, mapObjects } from "#providers/map-field.ts";
import { hasUnionRoot, objectRoot } from "./root.ts";
import { hasKey, mapSchema, schemaAt, withoutKeys } from "./walk.ts";

const references = new Set(["$ref", "$defs", "definitions", "$schema", "$id", "$anchor", "$comment"]);
const onlyReference = new Set(["$ref"]);

/** Size up to which references are replaced: a small schema can refer to its parts exponentially often. */
const MAX_SCHEMAS = 10_000;
const MAX_DEPTH = 30;

/** Returns a schema with the referenced schemas in place of the references; the same object without any. */
export function inlineReferences(schema: Wire): Wire {
  if (!hasKey(schema, references)) return schema;
  let schemas = 0;
  const inner = (part: Wire, open: readonly unknown[]): Wire =>
    mapSchema(part, (each) => {
      schemas += 1;
      const reference = each["$ref"];
      const rest = withoutKeys(each, references);
      if (reference === undefined) return rest;
      const target = schemaAt(schema, reference);
      const isEndless =
        open.includes(reference) || open.length > MAX_DEPTH || schemas > MAX_SCHEMAS || target === undefined;
      if (isEndless) return { ...(target?.["type"] !== undefined && { type: target["type"] }), ...rest };
      return { ...inner(withoutKeys(target, definitions), [...open, reference]), ...rest };
    });
  return inner(withoutKeys(schema, definitions), ["#"]);
}

/** Definitions are only reached through references. */
const definitions = new Set(["$defs", "definitions"]);

const inputKeys = ["parameters", "parametersJsonSchema", "parameters_json_schema"];
const outputKeys = ["response", "responseJsonSchema", "response_json_schema"];
const formatKeys = ["responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"];
const declarationKeys = ["functionDeclarations", "function_declarations"];
const resultKeys = ["functionResponse", "function_response"];

/** Changes these fields of an object; returns the same object when none changes. */
function withFields(wire: Wire, keys: readonly string[], change: (value: unknown) => unknown): Wire {
  let next = wire;
  for (const key of keys) {
    if (wire[key] === undefined) continue;
    const value = change(wire[key]);
    if (value !== wire[key]) next = { ...next, [key]: value };
  }
  return next;
}

function inlinedValue(value: unknown): unknown {
  const schema = asRecord(value);
  return schema === undefined ? value : inlineReferences(schema);
}

/** The input of a function is an object, without a union at its root. */
function inputValue(value: unknown): unknown {
  const schema = asRecord(inlinedValue(value));
  if (schema === undefined) return value;
  return hasUnionRoot(schema) ? objectRoot(schema) : schema;
}

/** Names of the parts that belong to a result; only these may be referred to. */
function attachedNames(result: Wire): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  for (const part of Array.isArray(result["parts"]) ? (result["parts"] as unknown[]) : [])
    for (const blob of Object.values(asRecord(part) ?? {})) {
      const { displayName, display_name: older } = asRecord(blob) ?? {};
      names.add(displayName ?? older);
    }
  return names;
}

function refersElsewhere(value: unknown, names: ReadonlySet<unknown>): boolean {
  if (Array.isArray(value)) return value.some((each) => refersElsewhere(each, names));
  const wire = asRecord(value);
  if (wire === undefined) return false;
  return Object.entries(wire).some(([key, each]) =>
    key === "$ref" ? !names.has(each) : refersElsewhere(each, names),
  );
}

/** Sends a result with references of its own as text. */
function withText(value: unknown): unknown {
  const result = asRecord(value);
  const response = result?.["response"];
  if (result === undefined || !hasKey(response, onlyReference)) return value;
  if (!refersElsewhere(response, attachedNames(result))) return value;
  return { ...result, response: { result: JSON.stringify(response) } };
}

/** Replaces the references in a body of generateContent; returns the same body when there are none. */
export function withoutReferences(body: Wire): Wire {
  const declaration = (each: Wire) =>
    withFields(withFields(each, inputKeys, inputValue), outputKeys, inlinedValue);
  const reduceDeclarations = (tool: Wire) =>
    withFields(tool, declarationKeys, (list) => mapObjects(list, declaration));
  const reduceResults = (content: Wire) =>
    mapField(content, "parts", (part) => withFields(part, resultKeys, withText));
  const tools = mapField(body, "tools", reduceDeclarations);
  const contents = mapField(tools, "contents", reduceResults);
  return withFields(contents, ["generationConfig", "generation_config"], (config) => {
    const wire = asRecord(config);
    return wire === undefined ? config : withFields(wire, formatKeys, inlinedValue);
  });
}
