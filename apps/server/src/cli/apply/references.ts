/** References of a file to environment variables: `${NAME}` as a whole value, or `{fromEnv: NAME}`. */

export type Path = readonly (string | number)[];

interface ResolvedReferences {
  value: unknown;
  /** Paths of the values that come from the environment. */
  places: Path[];
  /** References whose variable is not set or empty. */
  missing: { name: string; path: Path }[];
}

const variable = /^\$\{([A-Za-z_]\w*)\}$/;

/** Replaces the references below `path`. */
export function resolveReferences(
  value: unknown,
  path: Path,
  variables: Readonly<Record<string, string | undefined>>,
): ResolvedReferences {
  const places: Path[] = [];
  const missing: ResolvedReferences["missing"] = [];
  const resolve = (part: unknown, place: Path): unknown => {
    const name = referencedVariable(part);
    if (name !== undefined) {
      const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
      places.push(place);
      if (found === undefined || found === "") missing.push({ name, path: place });
      return found ?? "";
    }
    if (Array.isArray(part)) return part.map((inner, index) => resolve(inner, [...place, index]));
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [key, resolve(inner, [...place, key])]),
    );
  };
  return { value: resolve(value, path), places, missing };
}

/** Returns the name of the variable that a value refers to. */
export function referencedVariable(value: unknown): string | undefined {
  if (typeof value === "string") return variable.exec(value)?.[1];
  if (typeof value !== "object" || value === null || !("fromEnv" in value)) return undefined;
  const only = Object.keys(value).length === 1 && typeof value.fromEnv === "string";
  return only ? variable.exec(`\${${value.fromEnv as string}}`)?.[1] : undefined;
}
