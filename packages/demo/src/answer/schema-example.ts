import { lookupTable } from "@gateway/shared/lookup-table";
import { type Json, asList, asNumber, asObject, asText } from "./json.ts";

/** Hints for the values of an example: the prompt, and a place if one was named. */
export interface Hints {
  prompt: string;
  place: string;
}

const DEEPEST = 12;

/** Returns a value that matches the JSON Schema. Uses the hints where a field's name suits them. */
export function exampleOf(schema: unknown, hints: Hints): unknown {
  return value(asObject(schema), hints, "", asObject(schema), 0);
}

function value(schema: Json, hints: Hints, name: string, root: Json, depth: number): unknown {
  if (depth > DEEPEST) return null;
  const reference = asText(schema["$ref"]);
  if (reference !== "") return value(resolvePointer(root, reference), hints, name, root, depth + 1);
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return fromList(schema["enum"], hints);
  for (const choice of ["anyOf", "oneOf"]) {
    const first = asList(schema[choice])
      .map(asObject)
      .find((one) => one["type"] !== "null");
    if (first !== undefined) return value(first, hints, name, root, depth + 1);
  }
  if (Array.isArray(schema["allOf"])) {
    const merged = Object.assign({}, schema, ...schema["allOf"].map(asObject)) as Json;
    delete merged["allOf"];
    return value(merged, hints, name, root, depth + 1);
  }
  switch (typeOf(schema)) {
    case "object":
      return object(schema, hints, root, depth);
    case "array":
      return array(schema, hints, name, root, depth);
    case "integer":
      return amount(schema, hints, true);
    case "number":
      return amount(schema, hints, false);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return text(schema, hints, name);
  }
}

/** Returns the type of a schema. Gemini writes types in capitals; several types are a list. */
function typeOf(schema: Json): string {
  const types = asList(schema["type"]).filter((type) => type !== "null");
  const type = asText(types.length > 0 ? types[0] : schema["type"]).toLowerCase();
  if (type !== "") return type;
  if ("properties" in schema) return "object";
  return "items" in schema ? "array" : "string";
}

function resolvePointer(root: Json, reference: string): Json {
  let found: unknown = root;
  for (const step of reference.replace(/^#\/?/, "").split("/").filter(Boolean)) {
    found = asObject(found)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return asObject(found);
}

function fromList(values: unknown[], hints: Hints): unknown {
  const named = values.find(
    (one) => typeof one === "string" && hints.prompt.toLowerCase().includes(one.toLowerCase()),
  );
  return named ?? values[0] ?? null;
}

function object(schema: Json, hints: Hints, root: Json, depth: number): Json {
  const properties = asObject(schema["properties"]);
  const names = new Set([...Object.keys(properties), ...asList(schema["required"]).map(asText)]);
  return Object.fromEntries(
    [...names].map((name) => [name, value(asObject(properties[name]), hints, name, root, depth + 1)]),
  );
}

function array(schema: Json, hints: Hints, name: string, root: Json, depth: number): unknown[] {
  const most = asNumber(schema["maxItems"]) ?? Number.MAX_SAFE_INTEGER;
  const count = Math.min(Math.max(asNumber(schema["minItems"]) ?? 1, 1), most, 100);
  return Array.from({ length: count }, () => value(asObject(schema["items"]), hints, name, root, depth + 1));
}

function amount(schema: Json, hints: Hints, whole: boolean): number {
  const low = asNumber(schema["minimum"]) ?? (asNumber(schema["exclusiveMinimum"]) ?? -Infinity) + 1;
  const high = asNumber(schema["maximum"]) ?? (asNumber(schema["exclusiveMaximum"]) ?? Infinity) - 1;
  const output = Number(/-?\d+(?:\.\d+)?/.exec(hints.prompt)?.[0] ?? 1);
  const step = asNumber(schema["multipleOf"]);
  let number = Math.min(Math.max(whole ? Math.trunc(output) : output, low), high);
  if (step !== undefined && step > 0) number = Math.ceil(number / step) * step;
  return number;
}

const formats = lookupTable<string>({
  date: "2026-01-31",
  time: "12:00:00Z",
  "date-time": "2026-01-31T12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  ipv4: "192.0.2.1",
});

function text(schema: Json, hints: Hints, name: string): string {
  const made = formats[asText(schema["format"])] ?? exampleByName(name, hints);
  const padded = made.padEnd(asNumber(schema["minLength"]) ?? 0, "x");
  return padded.slice(0, asNumber(schema["maxLength"]) ?? padded.length);
}

function exampleByName(name: string, hints: Hints): string {
  if (/city|place|location|town|address|destination/i.test(name)) return hints.place;
  if (/date|day/i.test(name)) return formats["date"] ?? "";
  if (
    /query|question|text|prompt|input|expression|content|message|search/i.test(name) &&
    hints.prompt !== ""
  ) {
    return hints.prompt.slice(0, 200);
  }
  return name === "" ? "demo" : `demo ${name}`;
}
