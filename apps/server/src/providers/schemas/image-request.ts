import type { z } from "zod";
import { invalidRequest } from "#errors.ts";

/** Parses the body of an image request. Throws `invalid_request` that names the first field that the schema refuses. */
export function readImageRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw invalidRequest({ reason: "field_not_served", field: String(error.issues[0]?.path[0] ?? "prompt") });
}
