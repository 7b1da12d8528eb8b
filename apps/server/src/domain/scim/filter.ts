import { invalidRequest } from "#errors.ts";

/** One comparison of a SCIM filter. */
export interface ScimFilter {
  attribute: "userName" | "externalId" | "id" | "displayName";
  value: string;
}

const attributes = ["userName", "externalId", "id", "displayName"] as const;
const comparison = /^\s*(\w+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;

/** Parses a filter; undefined means all. Throws `invalid_request` for any other than one `eq`. */
export function parseFilter(text: string | undefined): ScimFilter | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const [, name = "", literal = ""] = comparison.exec(text.slice(0, 1_000)) ?? [];
  const attribute = attributes.find((each) => each.toLowerCase() === name.toLowerCase());
  const value = attribute === undefined ? undefined : textIn(literal);
  if (attribute === undefined || value === undefined)
    throw invalidRequest({ reason: "scim_filter_unsupported" });
  return { attribute, value };
}

/** Returns undefined also for a text that the database cannot compare. */
function textIn(literal: string): string | undefined {
  try {
    const text = String(JSON.parse(literal));
    return text.includes("\0") || !text.isWellFormed() ? undefined : text;
  } catch {
    return undefined;
  }
}
