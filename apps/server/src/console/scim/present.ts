/** SCIM resources as they are sent. */
import { UserStatus } from "@gateway/shared/accounts/user-status";
import type { Group } from "#domain/scim/groups.ts";
import { type Person, resourceOf } from "#domain/scim/people.ts";
import { groupSchema, userSchema } from "#domain/scim/resource.ts";

interface Meta {
  resourceType: string;
  created: string;
  lastModified: string;
  location: string;
}

/** @param base address of the service */
export function presentPerson(row: Person, base: string) {
  const own = resourceOf(row);
  return {
    ...own,
    schemas: [userSchema, ...Object.keys(own).filter((name) => name.startsWith("urn:"))],
    id: row.id,
    // An administrator may have disabled the account.
    active: row.active && row.user.status === UserStatus.enabled,
    groups: row.members.map(({ group }) => ({
      value: group.id,
      display: group.display_name,
      $ref: `${base}/Groups/${group.id}`,
    })),
    meta: metaOf("User", row, `${base}/Users/${row.id}`),
  };
}

export function presentGroup(row: Group, base: string, withMembers = true) {
  return {
    schemas: [groupSchema],
    id: row.id,
    displayName: row.display_name,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    ...(withMembers
      ? {
          members: row.members.map(({ person }) => ({
            value: person.id,
            display: person.user_name,
            $ref: `${base}/Users/${person.id}`,
          })),
        }
      : {}),
    meta: metaOf("Group", row, `${base}/Groups/${row.id}`),
  };
}

export function presentList<T>(resources: T[], { total, startIndex }: { total: number; startIndex: number }) {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

function metaOf(
  resourceType: string,
  row: { created_time: Date; changed_time: Date },
  location: string,
): Meta {
  return {
    resourceType,
    created: row.created_time.toISOString(),
    lastModified: row.changed_time.toISOString(),
    location,
  };
}
