/**
 * What Claude accepts of JSON Schema, on every host.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { mapField } from "#providers/map-field.ts";
import { objectRoot } from "./root.ts";
import { descriptionWith, mapSchema, withoutKeys } from "./walk.ts";

/** Limits that are not enforced. They move to the description, as Anthropic's client libraries do it. */
const limits = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains",
  "format",
]);
const refused = new Set([
  "contains",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
  "additionalItems",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "if",
  "then",
  "else",
  "not",
]);
const formats = new Set<unknown>([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

function isAccepted(key: string, value: unknown): boolean {
  if (key === "format") return formats.has(value);
  if (key === "minItems") return value === 0 || value === 1;
  return !limits.has(key);
}

const isObject = ({ type, properties }: Wire) =>
  type === "object" || (Array.isArray(type) && type.includes("object")) || properties !== undefined;

function reduceSchema(schema: Wire): Wire {
  let next = schema;
  if (Object.keys(next).some((key) => refused.has(key))) next = withoutKeys(next, refused);
  const unsupported = Object.entries(next).filter(([key, value]) => !isAccepted(key, value));
  if (unsupported.length > 0) {
    const remark = `{${unsupported.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(", ")}}`;
    next = withoutKeys(next, new Set(unsupported.map(([key]) => key)));
    next = { ...next, description: descriptionWith(next, remark) };
  }
  if (Array.isArray(next["oneOf"]) && next["anyOf"] === undefined) {
    const { oneOf, ...rest } = next;
    next = { ...rest, anyOf: oneOf };
  }
  if (isObject(next) && next["additionalProperties"] !== false)
    next = { ...next, additionalProperties: false };
  return next;
}

/** Returns a schema for strict output. The same object when Claude accepts it as it is. */
export function claudeSchema(schema: Wire): Wire {
  return mapSchema(schema, reduceSchema);
}

function toolFor(tool: Wire): Wire {
  const schema = asRecord(tool["input_schema"]);
  if (schema === undefined) return tool;
  const plain = objectRoot(schema);
  const next = tool["strict"] === true ? claudeSchema(plain) : plain;
  return next === schema ? tool : { ...tool, input_schema: next };
}

/** Reduces the schemas of a Messages body; returns the same body when nothing changes. */
export function claudeSchemas(body: Wire): Wire {
  let next = mapField(body, "tools", toolFor);
  const output = asRecord(body["output_config"]);
  const format = withSchema(output?.["format"]);
  if (format !== output?.["format"]) next = { ...next, output_config: { ...output, format } };
  const older = withSchema(body["output_format"]);
  return older === body["output_format"] ? next : { ...next, output_format: older };
}

function withSchema(format: unknown): unknown {
  const wire = asRecord(format);
  const schema = asRecord(wire?.["schema"]);
  if (wire === undefined || schema === undefined) return format;
  const next = claudeSchema(schema);
  return next === schema ? format : { ...wire, schema: next };
}
