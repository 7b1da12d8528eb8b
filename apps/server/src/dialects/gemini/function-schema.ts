import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";

/** Schema keywords whose members are schemas by name. */
const named = new Set(["properties", "$defs", "definitions"]);
const kept = new Set(["enum", "const", "default", "example", "examples", "required"]);

/**
 * Converts this API's own schemas (`STRING`, `nullable`) to JSON Schema, which all other dialects use.
 * JSON Schema stays unchanged.
 */
export function jsonSchema(schema: Wire): Wire {
  const result: Wire = {};
  for (const [key, value] of Object.entries(schema)) {
    const record = asRecord(value);
    if (key === "type" && typeof value === "string") result["type"] = value.toLowerCase();
    else if (kept.has(key)) result[key] = value;
    else if (named.has(key) && record !== undefined) {
      result[key] = Object.fromEntries(
        Object.entries(record).map(([name, each]) => [name, schemaValue(each)]),
      );
    } else if (key !== "nullable") result[key] = schemaValue(value);
  }
  if (schema["nullable"] === true && typeof result["type"] === "string")
    result["type"] = [result["type"], "null"];
  return result;
}

function schemaValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaValue);
  const record = asRecord(value);
  return record === undefined ? value : jsonSchema(record);
}
