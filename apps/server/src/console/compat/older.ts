import { z } from "zod";
import type { CompatCall } from "./route.ts";

/** What the requests of One Hub's callers have in common. */

/** A body of an object; what it says null of counts as absent, as it does for One Hub. */
export function olderBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(withoutNulls, z.object(shape));
}

function withoutNulls(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** With `?status_only` a PUT switches and reads nothing else of the body. */
export function isStatusOnly({ request }: CompatCall): boolean {
  return Object.hasOwn(request.query as object, "status_only");
}
