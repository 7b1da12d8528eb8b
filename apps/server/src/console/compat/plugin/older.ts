/** Common parts of the requests of One Hub's callers. */
import { z } from "zod";
import type { CompatCall } from "./route.ts";

/** Returns the schema of an object body. Fields with null count as absent, as in One Hub. */
export function oneHubBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(withoutNulls, z.object(shape));
}

export function withoutNulls(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/**
 * Returns whether the query contains `?status_only`: the PUT then only switches the status and ignores the
 * rest of the body.
 */
export function isStatusOnly({ request }: CompatCall): boolean {
  return Object.hasOwn(request.query as object, "status_only");
}

/** Splits a text at commas. A list stays a list; undefined stays undefined. */
export function splitList(given: string | string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  const parts = typeof given === "string" ? given.split(",") : given;
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

export function joinWithCommas(list: readonly string[]): string {
  return list.join(",");
}

/** Returns JSON as a text; "" for an empty object. */
export function jsonText(value: object): string {
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

/** Parses JSON in a text. Invalid JSON is returned unchanged, so that the schema reports the error. */
export function parsedText(given: unknown): unknown {
  if (typeof given !== "string") return given;
  if (given.trim() === "") return {};
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
