/**
 * Finds fields of a request body that its schema does not name. Schemas drop such fields, so a misspelled limit
 * would be no limit. Version 2 refuses them; One Hub ignores them, and its rows are written back whole.
 */
import type { z } from "zod";
import { type GatewayError, invalidFields } from "#errors.ts";

/** Most fields that an error names. */
const MOST_NAMED = 20;

/** Returns an error that names the unknown fields of a body; undefined if there are none. */
export function unknownFieldsIn(schema: z.core.$ZodType, body: unknown): GatewayError | undefined {
  const paths = unknownPaths(schema, body, "").slice(0, MOST_NAMED);
  return invalidFields(Object.fromEntries(paths.map((path) => [path, { reason: "field_unknown" as const }])));
}

function unknownPaths(schema: z.core.$ZodType, value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return inObject(def, value, path);
    case "record":
      return Object.entries(value).flatMap(([name, each]) =>
        unknownPaths(def.valueType, each, at(path, name)),
      );
    case "array":
      if (!Array.isArray(value)) return [];
      return value.flatMap((each, index) => unknownPaths(def.element, each, at(path, String(index))));
    case "tuple":
      if (!Array.isArray(value)) return [];
      return def.items.flatMap((item, index) => unknownPaths(item, value[index], at(path, String(index))));
    case "union":
      return inUnion(def.options, value, path);
    case "intersection": {
      const left = unknownPaths(def.left, value, path);
      const right = unknownPaths(def.right, value, path);
      // A field is known if either side knows it.
      return [
        ...left.filter((each) => isWithin(each, right)),
        ...right.filter((each) => isWithin(each, left)),
      ];
    }
    case "lazy":
      return unknownPaths(def.getter(), value, path);
    case "pipe":
      // A preprocessed value is described by what follows, any other by what comes first.
      return unknownPaths(isTransform(def.in) ? def.out : def.in, value, path);
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "catch":
    case "readonly":
      return unknownPaths(def.innerType, value, path);
    default:
      return [];
  }
}

function inObject({ shape, catchall }: z.core.$ZodObjectDef, value: object, path: string): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : catchall;
    return field === undefined ? [at(path, name)] : unknownPaths(field, each, at(path, name));
  });
}

/** The options that accept the value count; if none does, all of them. */
function inUnion(options: readonly z.core.$ZodType[], value: object, path: string): string[] {
  const fitting = options.filter((option) => (option as z.ZodType).safeParse(value).success);
  const perOption = (fitting.length > 0 ? fitting : options).map((option) =>
    unknownPaths(option, value, path),
  );
  return perOption.reduce((least, each) => (each.length < least.length ? each : least), perOption[0] ?? []);
}

function isTransform(schema: z.core.$ZodType): boolean {
  return definitionOf(schema).type === "transform";
}

type Definition = z.core.$ZodTypes["_zod"]["def"];

function definitionOf(schema: z.core.$ZodType): Definition {
  return (schema as z.ZodType).def as Definition;
}

function isWithin(path: string, others: readonly string[]): boolean {
  return others.some((other) => path === other || path.startsWith(`${other}.`));
}

function at(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
