/** Groups that the SCIM client of a sign-in provider manages. The rules of the provider say what they give. */
import { randomUUID } from "node:crypto";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { invalidRequest } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { IdentityProvider, Prisma, PrismaClient, ScimGroup } from "#platform/prisma/client.ts";
import type { ScimFilter } from "./filter.ts";
import { assignGroups, lockAccounts } from "./groups-of-person.ts";
import { isUuid, type ScimClient, valueTakenError, unknownResource } from "./people.ts";
import { type GroupInput, invalidValue, type Json, parseGroup } from "./resource.ts";

type Tx = Prisma.TransactionClient;

/** Most members that one request may add or remove: each has an account that changes. */
const MOST_CHANGED_MEMBERS = 1_000;

/** Most groups of one page with their members, of which each may have thousands. */
const MOST_WITH_MEMBERS = 20;

const include = { members: { select: { person: { select: { id: true, user_name: true } } } } } as const;
export type Group = Prisma.ScimGroupGetPayload<{ include: typeof include }>;

/** Returns a group of the provider with its members. Throws `not_found`. */
export async function getGroup(
  db: Db,
  { provider }: Pick<ScimClient, "provider">,
  id: string,
): Promise<Group> {
  const row = isUuid(id)
    ? await db.scimGroup.findFirst({ where: { id, provider_id: provider.id }, include })
    : null;
  if (row === null) throw unknownResource();
  return row;
}

/** Returns a page of groups: shorter than requested if it contains members. */
export async function listGroups(
  db: Db,
  { provider }: Pick<ScimClient, "provider">,
  search: { filter: ScimFilter | undefined; skip: number; take: number; withMembers: boolean },
): Promise<{ rows: Group[]; total: number }> {
  const { filter, skip, withMembers } = search;
  const where: Prisma.ScimGroupWhereInput = { provider_id: provider.id, ...whereOf(filter) };
  const take = withMembers ? Math.min(search.take, MOST_WITH_MEMBERS) : search.take;
  const shown = { members: { ...include.members, ...(withMembers ? {} : { take: 0 }) } };
  const [rows, total] = await Promise.all([
    db.scimGroup.findMany({
      where,
      skip,
      take,
      include: shown,
      orderBy: [{ created_time: "asc" }, { id: "asc" }],
    }),
    db.scimGroup.count({ where }),
  ]);
  return { rows, total };
}

function whereOf(filter: ScimFilter | undefined): Prisma.ScimGroupWhereInput {
  if (filter === undefined) return {};
  switch (filter.attribute) {
    case "displayName":
      return { name_key: filter.value.toLowerCase() };
    case "externalId":
      return { external_id: filter.value };
    case "id":
      return isUuid(filter.value) ? { id: filter.value } : { id: { in: [] } };
    case "userName":
      return { id: { in: [] } };
    default:
      return filter.attribute satisfies never;
  }
}

/** Creates a group. Throws `conflict` for a name or external id that is taken. */
export async function createGroup(db: PrismaClient, client: ScimClient, input: GroupInput): Promise<Group> {
  return inTransaction(db, async (tx) => {
    await requireFree(tx, client.provider, input);
    const { id } = await tx.scimGroup.create({
      data: { id: randomUUID(), provider_id: client.provider.id, ...columnsOf(input) },
    });
    await changeMembers(tx, client, id, { before: [], after: input.members, isRenamed: false });
    await audit(tx, client, "scim.group_create", id, { after: auditedFields(input) });
    return getGroup(tx, client, id);
  });
}

/**
 * Changes a group: PUT and PATCH. Throws `not_found`, and the errors of `createGroup`.
 * @param next returns the resource after the change
 */
export async function changeGroup(
  db: PrismaClient,
  client: ScimClient,
  id: string,
  next: (current: Json) => unknown,
): Promise<Group> {
  return inTransaction(db, async (tx) => {
    const row = await lockGroup(tx, client, id);
    const before = row.members.map(({ person }) => person.id);
    const input = parseGroup(next(resourceOf(row)));
    await requireFree(tx, client.provider, input, id);
    await tx.scimGroup.update({ where: { id }, data: { ...columnsOf(input), changed_time: currentTime() } });
    const isRenamed = input.displayName !== row.display_name || input.externalId !== row.external_id;
    await changeMembers(tx, client, id, { before, after: input.members, isRenamed });
    await audit(tx, client, "scim.group_change", id, {
      before: { display_name: row.display_name, external_id: row.external_id, members: before.length },
      after: auditedFields(input),
    });
    return getGroup(tx, client, id);
  });
}

/** Deletes a group. Its members lose what it gave. Throws `not_found`. */
export async function deleteGroup(db: PrismaClient, client: ScimClient, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await lockGroup(tx, client, id);
    const members = row.members.map(({ person }) => person.id);
    await lockAccounts(tx, client.provider, members);
    await tx.scimGroup.delete({ where: { id } });
    // Also when it was the last one, which gave its members something until now.
    await assignGroups(tx, client, members, { always: true });
    await audit(tx, client, "scim.group_delete", id, { before: { display_name: row.display_name } });
  });
}

async function lockGroup(tx: Tx, client: ScimClient, id: string): Promise<Group> {
  if (isUuid(id)) await tx.$executeRaw`SELECT 1 FROM scim_groups WHERE id = ${id}::uuid FOR UPDATE`;
  return getGroup(tx, client, id);
}

/**
 * Throws `invalid_request` for an unknown person, with status 413 for too many changes.
 * @param isRenamed whether the group gives something else to those who stay in it, too
 */
async function changeMembers(
  tx: Tx,
  client: ScimClient,
  groupId: string,
  { before, after, isRenamed }: { before: readonly string[]; after: readonly string[]; isRenamed: boolean },
): Promise<void> {
  const [old, current] = [new Set(before), new Set(after)];
  const added = after.filter((id) => !old.has(id));
  const removed = before.filter((id) => !current.has(id));
  if (added.length + removed.length > MOST_CHANGED_MEMBERS)
    throw invalidRequest({ reason: "scim_too_many", most: MOST_CHANGED_MEMBERS }, { status: 413 });
  if (!added.every(isUuid)) throw invalidValue("members");
  const changed = isRenamed ? [...before, ...added] : [...added, ...removed];
  await lockAccounts(tx, client.provider, changed);
  const known = await tx.scimUser.count({ where: { id: { in: added }, provider_id: client.provider.id } });
  if (known !== added.length) throw invalidValue("members");
  await tx.scimMember.deleteMany({ where: { group_id: groupId, person_id: { in: removed } } });
  await tx.scimMember.createMany({
    data: added.map((person_id) => ({ group_id: groupId, person_id })),
    skipDuplicates: true,
  });
  await assignGroups(tx, client, changed);
}

async function requireFree(
  tx: Tx,
  provider: IdentityProvider,
  input: GroupInput,
  exceptId?: string,
): Promise<void> {
  const others = { provider_id: provider.id, ...(exceptId === undefined ? {} : { id: { not: exceptId } }) };
  const name_key = input.displayName.toLowerCase();
  if ((await tx.scimGroup.count({ where: { ...others, name_key } })) > 0)
    throw valueTakenError("displayName");
  if (input.externalId === null) return;
  if ((await tx.scimGroup.count({ where: { ...others, external_id: input.externalId } })) > 0)
    throw valueTakenError("externalId");
}

function columnsOf({ displayName, externalId }: GroupInput) {
  return { display_name: displayName, name_key: displayName.toLowerCase(), external_id: externalId };
}

function auditedFields({ displayName, externalId, members }: GroupInput) {
  return { display_name: displayName, external_id: externalId, members: members.length };
}

function resourceOf(row: ScimGroup & Pick<Group, "members">): Json {
  return {
    displayName: row.display_name,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    members: row.members.map(({ person }) => ({ value: person.id })),
  };
}

async function audit(
  tx: Tx,
  { actor }: ScimClient,
  action: string,
  id: string,
  change: { before?: unknown; after?: unknown },
): Promise<void> {
  await writeAudit(tx, { actor, action, targetType: "scim_group", targetId: id, ...change });
}
