import type { CompatRoute } from "./route.ts";

/**
 * Returns a sentence for each field of `ignores` that a request sets to another value than the row has. Empty values
 * and 0 change nothing in One Hub.
 */
export function listIgnoredFields(
  sent: unknown,
  row: unknown,
  ignores: CompatRoute["ignores"] = {},
): string[] {
  const [fields, now] = [fieldsOf(sent), fieldsOf(row)];
  return Object.entries(ignores)
    .filter(([name]) => Boolean(fields[name]) && fields[name] !== now[name])
    .map(([name, remedy]) => `${name} was ignored${remedy === "" ? "" : `: use ${remedy}`}.`);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
