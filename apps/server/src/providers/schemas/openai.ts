import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { mapField } from "#providers/map-field.ts";
import { inlineReferences } from "./gemini.ts";
import { objectRoot } from "./root.ts";
import { mapSchema } from "./walk.ts";

/** Makes the root of each function's schema a plain object, in Chat and Responses bodies. */
export const functionSchemas = (body: Wire): Wire => mapParameters(body, objectRoot);

/**
 * Moves the type of a union to its alternatives, for Moonshot: "when using anyOf, type should be defined in anyOf
 * items instead of the parent schema".
 */
export const typedUnions = (body: Wire): Wire =>
  mapParameters(body, (schema) => mapSchema(schema, withTypedUnion));

/** Replaces references, for Gemini's endpoint of this format. */
export const inlineParameterReferences = (body: Wire): Wire => mapParameters(body, inlineReferences);

function withTypedUnion(schema: Wire): Wire {
  const { anyOf, type, ...rest } = schema;
  if (!Array.isArray(anyOf) || type === undefined) return schema;
  const alternatives = anyOf.map((each: unknown) => {
    const wire = asRecord(each);
    const isOpen = wire !== undefined && wire["type"] === undefined && wire["$ref"] === undefined;
    return isOpen ? { type, ...wire } : each;
  });
  return { ...rest, anyOf: alternatives };
}

function mapParameters(body: Wire, change: (schema: Wire) => Wire): Wire {
  return mapField(body, "tools", (tool) => changedTool(tool, change));
}

function changedTool(tool: Wire, change: (schema: Wire) => Wire): Wire {
  // Tools in a group of the Responses API.
  if (Array.isArray(tool["tools"])) return mapParameters(tool, change);
  const called = asRecord(tool["function"]);
  const owner = called ?? tool;
  const schema = asRecord(owner["parameters"]);
  if (schema === undefined) return tool;
  const next = change(schema);
  if (next === schema) return tool;
  return called === undefined
    ? { ...tool, parameters: next }
    : { ...tool, function: { ...called, parameters: next } };
}
