import { z } from "zod";
import type { CompatCall } from "./route.ts";

/** What the requests of One Hub's callers have in common. */

/** A body of an object; what it says null of counts as absent, as it does for One Hub. */
export function olderBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(withoutNulls, z.object(shape));
}

export function withoutNulls(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** With `?status_only` a PUT switches and reads nothing else of the body. */
export function isStatusOnly({ request }: CompatCall): boolean {
  return Object.hasOwn(request.query as object, "status_only");
}

/** A list in one text with commas; a list stays one. Undefined stays undefined. */
export function listed(given: string | string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  const parts = typeof given === "string" ? given.split(",") : given;
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

export function inCommas(list: readonly string[]): string {
  return list.join(",");
}

/** JSON in a text; "" for an object with nothing in it. */
export function jsonText(value: object): string {
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

/** The other way. What is no JSON stays the text it is, so that the schema names the mistake. */
export function parsedText(given: unknown): unknown {
  if (typeof given !== "string") return given;
  if (given.trim() === "") return {};
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
