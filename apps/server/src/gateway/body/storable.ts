import { unstorableIn } from "#dialects/storable.ts";
import { invalidRequest } from "#errors.ts";

/** Throws `invalid_request` with the path of the first text that the database cannot store. */
export function requireStorable(value: unknown, path: string): void {
  const found = unstorableIn(value, path);
  if (found === undefined) return;
  throw invalidRequest({ reason: "field_not_storable", field: found });
}
