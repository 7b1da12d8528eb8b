/** Reads an OpenAPI document: its operations by area, and an example for each body. Pure. */

/** The part of JSON Schema that the document uses. */
export type Schema = {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};

type Content = Record<string, { schema?: Schema }>;

export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

type RawOperation = {
  summary?: string;
  description?: string;
  operationId?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content?: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
};

export type ApiDocument = { paths: Record<string, Record<string, RawOperation>> };

export type Operation = {
  id: string;
  method: string;
  path: string;
  area: string;
  summary: string;
  /** Who may call it. */
  access: string;
  /** Of the path and the query. */
  parameters: Parameter[];
  /** Schema of a JSON body. */
  body: Schema | undefined;
  /** Of the successful response. */
  response: Schema | undefined;
};

/** A line of the table of fields. Fields of objects follow their object. */
export type FieldLine = {
  path: string;
  type: string;
  required: boolean;
  description: string;
};

const methods = ["get", "post", "put", "patch", "delete"];
/** Deeper fields are left out of tables and examples. */
const deepest = 4;

/** Returns the operations in the order of their paths. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, byMethod]) =>
    methods.flatMap((method) => {
      const raw = byMethod[method];
      if (raw === undefined) return [];
      const { parameters = [], responses = {}, tags = [] } = raw;
      return {
        id: raw.operationId ?? `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        area: tags[0] ?? "",
        summary: raw.summary ?? path,
        access: raw.description ?? "",
        parameters: parameters.filter((one) => one.in === "path" || one.in === "query"),
        body: raw.requestBody?.content?.["application/json"]?.schema,
        response: responses["200"]?.content?.["application/json"]?.schema,
      };
    }),
  );
}

/** Returns the operations that contain each word of a search, by area. */
export function groupOperations(operations: readonly Operation[], search: string): [string, Operation[]][] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter((one) => {
    const text = `${one.method} ${one.path} ${one.area} ${one.summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const areas = [...new Set(found.map((one) => one.area))].toSorted((one, other) => one.localeCompare(other));
  return areas.map((area) => [area, found.filter((one) => one.area === area)]);
}

/** Returns the name of a type: "string", "integer | null", "object[]", or the allowed values. */
export function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(" | ");
  if (schema.type === "array") return schema.items ? `${typeOf(schema.items)}[]` : "array";
  return [schema.type ?? "any"].flat().join(" | ");
}

/** Returns the object that a schema describes, inside of lists and choices as well. */
function objectIn(schema: Schema): Schema | undefined {
  if (schema.properties) return schema;
  if (schema.items) return objectIn(schema.items);
  return (schema.anyOf ?? schema.oneOf)?.map(objectIn).find((one) => one !== undefined);
}

/** Returns the fields of a schema as the lines of a table. */
export function fieldsOf(schema: Schema, prefix = "", depth = 0): FieldLine[] {
  const object = objectIn(schema);
  if (object?.properties === undefined || depth >= deepest) return [];
  return Object.entries(object.properties).flatMap(([name, field]) => [
    {
      path: prefix + name,
      type: typeOf(field),
      required: object.required?.includes(name) ?? false,
      description: field.description ?? "",
    },
    ...fieldsOf(field, `${prefix}${name}.`, depth + 1),
  ]);
}

/** Returns an example of a value: its default, its first allowed value, or an empty one. */
export function exampleOf(schema: Schema, depth = 0): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return exampleOf(choice, depth);
  const [type] = [schema.type ?? "object"].flat();
  switch (type) {
    case "string":
      return "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return [];
    default: {
      if (depth >= deepest) return {};
      // Optional fields are left out, so that the example changes as little as possible.
      const needed = Object.entries(schema.properties ?? {}).filter(([name]) =>
        schema.required?.includes(name),
      );
      return Object.fromEntries(needed.map(([name, field]) => [name, exampleOf(field, depth + 1)]));
    }
  }
}

/**
 * Returns the path and query of a request. Null when a value for the path is missing, or would change which path it is.
 */
export function addressOf(operation: Operation, values: Readonly<Record<string, string>>): string | null {
  let path = operation.path;
  const query = new URLSearchParams();
  for (const { name, in: place } of operation.parameters) {
    const value = values[name] ?? "";
    if (place === "query") {
      if (value !== "") query.append(name, value);
    } else {
      if (/^\.{0,2}$/.test(value)) return null;
      path = path.replace(`{${name}}`, encodeURIComponent(value));
    }
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
