/**
 * SCIM 2.0 resources as clients send them (RFC 7643). Attributes that the gateway does not use are stored and
 * returned as they came.
 */
import { z } from "zod";
import { invalidRequest } from "#errors.ts";

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

export type Json = Record<string, unknown>;

/** Longest attributes of one person, as JSON. */
const LONGEST_ATTRIBUTES = 16_384;

const name = z.string().trim().min(1).max(255);
const text = z.string().max(1_000);
const absent = z.null().transform(() => undefined);

const Email = z.looseObject({
  value: z.string().max(320),
  type: text.nullish(),
  primary: z.boolean().nullish(),
});

/** Attributes of a person that have a meaning here, or a type that clients rely on. */
const PersonResource = z.looseObject({
  userName: name,
  externalId: name.or(absent).optional(),
  active: z.boolean().default(true),
  displayName: text.or(absent).optional(),
  name: z.looseObject({}).or(absent).optional(),
  emails: z.array(Email).max(50).or(absent).optional(),
});

export interface PersonInput {
  userName: string;
  externalId: string | null;
  active: boolean;
  displayName: string;
  /** What else was sent, to be returned. */
  attributes: Json;
}

const Member = z.looseObject({ value: z.string().min(1).max(64) });
const GroupResource = z.looseObject({
  displayName: name,
  externalId: name.or(absent).optional(),
  members: z.array(Member).or(absent).optional(),
});

export interface GroupInput {
  displayName: string;
  externalId: string | null;
  /** Ids of people. */
  members: string[];
}

/** Attributes of the server, and those that are never stored. */
const ignored = new Set(["schemas", "id", "meta", "groups", "password"]);

/** Parses a person. Throws `invalid_request` for a missing or wrong attribute. */
export function parsePerson(resource: unknown): PersonInput {
  const { userName, externalId, active, displayName, ...rest } = parseResource(
    PersonResource,
    resource,
    topLevelOfPerson,
  );
  const attributes = Object.fromEntries(
    Object.entries(rest).filter(([key, value]) => !ignored.has(key.toLowerCase()) && value !== undefined),
  );
  if (JSON.stringify(attributes).length > LONGEST_ATTRIBUTES) throw invalidValue("attributes");
  const full = attributes["name"] as
    | { formatted?: unknown; givenName?: unknown; familyName?: unknown }
    | undefined;
  const parts = [full?.givenName, full?.familyName].filter((part) => typeof part === "string");
  const formatted = typeof full?.formatted === "string" ? full.formatted : parts.join(" ");
  return {
    userName,
    externalId: externalId ?? null,
    active,
    displayName: (displayName ?? formatted).trim(),
    attributes: { ...attributes, ...(displayName === undefined ? {} : { displayName }) },
  };
}

/** Parses a group. Throws `invalid_request` for a missing or wrong attribute. */
export function parseGroup(resource: unknown): GroupInput {
  const { displayName, externalId, members = [] } = parseResource(GroupResource, resource, topLevelOfGroup);
  return {
    displayName,
    externalId: externalId ?? null,
    members: [...new Set(members.map(({ value }) => value))],
  };
}

const topLevelOfPerson = ["userName", "externalId", "active", "displayName", "name", "emails"];
const topLevelOfGroup = ["displayName", "externalId", "members"];

function parseResource<T extends z.ZodType>(
  schema: T,
  resource: unknown,
  names: readonly string[],
): z.output<T> {
  if (!isObject(resource)) throw invalidValue("resource");
  const result = schema.safeParse(withNames(resource, names));
  if (result.success) return result.data;
  throw invalidValue(result.error.issues[0]?.path.join(".") ?? "resource");
}

/** Names of attributes are not case-sensitive (RFC 7643, section 2.1). */
function withNames(resource: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(resource).map(([key, value]) => [
      names.find((known) => known.toLowerCase() === key.toLowerCase()) ?? key,
      value,
    ]),
  );
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function invalidValue(path: string) {
  return invalidRequest({ reason: "scim_value_invalid", path: path.slice(0, 100) });
}
