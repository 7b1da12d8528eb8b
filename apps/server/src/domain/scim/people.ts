/**
 * People that the SCIM client of a sign-in provider manages. Each has an account. It is linked by the external id,
 * which is the subject of the person at the provider: never by a name or an email address. Accounts of
 * administrators are changed only where root allows it, and root never.
 */
import { randomUUID } from "node:crypto";
import { UserStatus } from "@gateway/shared/accounts/user-status";
import { removeAccount } from "#domain/accounts/administration.ts";
import { giveGifts, insertUser } from "#domain/accounts/new-user.ts";
import { isTaken, suggestUsername } from "#domain/accounts/sign-in/identities.ts";
import { endAccess } from "#domain/accounts/sign-in/sessions.ts";
import { lockUser } from "#domain/accounts/users.ts";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { mayAssign } from "#domain/identity-providers/assignment.ts";
import { providerKeyOf } from "#domain/identity-providers/identity-providers.ts";
import { conflict, forbidden, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { IdentityProvider, Prisma, PrismaClient, ScimUser, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { ScimFilter } from "./filter.ts";
import { assignGroups } from "./groups-of-person.ts";
import { type Json, parsePerson, type PersonInput } from "./resource.ts";

type Tx = Prisma.TransactionClient;

/** Who sends a request: the SCIM client of a provider. */
export interface ScimClient {
  provider: IdentityProvider;
  actor: Actor;
}

export interface ScimDeps {
  db: PrismaClient;
  secrets: Secrets;
  /** Points that a new account receives. */
  newUserGift: number;
}

const include = {
  user: { select: { status: true } },
  members: { select: { group: { select: { id: true, display_name: true } } } },
} as const;
export type Person = Prisma.ScimUserGetPayload<{ include: typeof include }>;

/** Maximum number of names to try for a new account. */
const ROUNDS = 5;

/** Returns a person of the provider. Throws `not_found`. */
export async function getPerson(
  db: Db,
  { provider }: Pick<ScimClient, "provider">,
  id: string,
): Promise<Person> {
  const row = isUuid(id)
    ? await db.scimUser.findFirst({ where: { id, provider_id: provider.id }, include })
    : null;
  if (row === null) throw unknownResource();
  return row;
}

export async function listPeople(
  db: Db,
  { provider }: Pick<ScimClient, "provider">,
  { filter, skip, take }: { filter: ScimFilter | undefined; skip: number; take: number },
): Promise<{ rows: Person[]; total: number }> {
  const where: Prisma.ScimUserWhereInput = { provider_id: provider.id, ...whereOf(filter) };
  const [rows, total] = await Promise.all([
    db.scimUser.findMany({ where, skip, take, include, orderBy: [{ created_time: "asc" }, { id: "asc" }] }),
    db.scimUser.count({ where }),
  ]);
  return { rows, total };
}

function whereOf(filter: ScimFilter | undefined): Prisma.ScimUserWhereInput {
  if (filter === undefined) return {};
  switch (filter.attribute) {
    case "userName":
      return { name_key: filter.value.toLowerCase() };
    case "externalId":
      return { external_id: filter.value };
    case "id":
      return isUuid(filter.value) ? { id: filter.value } : { id: { in: [] } };
    case "displayName":
      return { attributes: { path: ["displayName"], equals: filter.value } };
    default:
      return filter.attribute satisfies never;
  }
}

/**
 * Creates a person with an account, or takes over the account that the person already opens by the provider.
 * Throws `conflict` for a name or external id that is taken, and `forbidden` for an administrator's account.
 */
export async function createPerson(
  { db, secrets, newUserGift }: ScimDeps,
  client: ScimClient,
  input: PersonInput,
): Promise<Person> {
  for (let round = 1; ; round += 1) {
    try {
      return await inTransaction(db, async (tx) => {
        const { provider, actor } = client;
        await requireFree(tx, provider, input);
        const linked = await findLinked(tx, client, input.externalId);
        const user = linked ?? (await createAccount(tx, client, { input, round, newUserGift }));
        const row = await tx.scimUser.create({
          data: {
            id: randomUUID(),
            provider_id: provider.id,
            user_id: user.id,
            // A new person is active until the value is applied below.
            active: true,
            ...columnsOf(input),
          },
        });
        await applyActive(tx, secrets, client, { row, user, active: input.active });
        await writeAudit(tx, {
          actor,
          action: "scim.user_create",
          targetType: "user",
          targetId: user.id,
          after: auditedFields({ ...columnsOf(input), active: input.active }),
        });
        await assignGroups(tx, client, [row.id]);
        return getPerson(tx, client, row.id);
      });
    } catch (error) {
      if (round === ROUNDS || !isTaken(error) || isScimConflict(error)) throw error;
    }
  }
}

async function findLinked(tx: Tx, client: ScimClient, externalId: string | null): Promise<User | undefined> {
  if (externalId === null) return undefined;
  const key = { provider: providerKeyOf(client.provider), subject: externalId };
  const identity = await tx.identity.findUnique({ where: { provider_subject: key } });
  if (identity === null) return undefined;
  const user = await lockUser(tx, identity.user_id);
  requireMayManage(client, user);
  const managed = { provider_id: client.provider.id, user_id: user.id };
  if ((await tx.scimUser.count({ where: managed })) > 0) throw valueTakenError("externalId");
  return user;
}

async function createAccount(
  tx: Tx,
  client: ScimClient,
  { input, round, newUserGift }: { input: PersonInput; round: number; newUserGift: number },
): Promise<User> {
  const user = await insertUser(tx, {
    username: suggestUsername(input.userName, client.provider.slug, round),
    passwordHash: null,
    displayName: input.displayName.slice(0, 64),
  });
  if (input.externalId !== null) await link(tx, client, { userId: user.id, input });
  await giveGifts(tx, user, { newUser: newUserGift, invitee: 0, inviter: 0 });
  return user;
}

async function link(
  tx: Tx,
  { provider }: ScimClient,
  { userId, input }: { userId: number; input: PersonInput },
): Promise<void> {
  const key = { provider: providerKeyOf(provider), subject: input.externalId ?? "" };
  if ((await tx.identity.findUnique({ where: { provider_subject: key } })) !== null)
    throw valueTakenError("externalId");
  await tx.identity.create({ data: { ...key, user_id: userId, label: input.userName } });
}

/**
 * Changes a person: PUT and PATCH. Throws `not_found`, and the errors of `createPerson`.
 * @param next returns the resource after the change
 */
export async function changePerson(
  { db, secrets }: ScimDeps,
  client: ScimClient,
  id: string,
  next: (current: Json) => unknown,
): Promise<Person> {
  return inTransaction(db, async (tx) => {
    const { row, user } = await lockPerson(tx, client, id);
    requireMayManage(client, user);
    const input = parsePerson(next(resourceOf(row)));
    await requireFree(tx, client.provider, input, id);
    if (input.externalId !== row.external_id) await relink(tx, client, { row, input });
    await tx.scimUser.update({ where: { id }, data: { ...columnsOf(input), changed_time: currentTime() } });
    await changeName(tx, user, input);
    await applyActive(tx, secrets, client, { row, user, active: input.active });
    await writeAudit(tx, {
      actor: client.actor,
      action: "scim.user_change",
      targetType: "user",
      targetId: user.id,
      before: auditedFields(row),
      after: auditedFields({ ...columnsOf(input), active: input.active }),
    });
    await announce(tx, "users", user.id);
    return getPerson(tx, client, id);
  });
}

/** Deletes a person and the account. Throws `not_found`, or `forbidden` for an administrator's account. */
export async function deletePerson({ db, secrets }: ScimDeps, client: ScimClient, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { row, user } = await lockPerson(tx, client, id);
    requireMayManage(client, user);
    await writeAudit(tx, {
      actor: client.actor,
      action: "scim.user_delete",
      targetType: "user",
      targetId: user.id,
      before: { user_name: row.user_name, external_id: row.external_id },
    });
    await removeAccount(tx, secrets, client.actor, user);
  });
}

/** Locks the account, and then the person. Other changes lock the account first, too. */
async function lockPerson(tx: Tx, client: ScimClient, id: string): Promise<{ row: ScimUser; user: User }> {
  const { user_id } = await getPerson(tx, client, id);
  const user = await lockUser(tx, user_id);
  const row = await tx.scimUser.findUnique({ where: { id } });
  if (row === null) throw unknownResource();
  return { row, user };
}

async function relink(
  tx: Tx,
  client: ScimClient,
  { row, input }: { row: ScimUser; input: PersonInput },
): Promise<void> {
  await tx.identity.deleteMany({
    where: { user_id: row.user_id, provider: providerKeyOf(client.provider) },
  });
  if (input.externalId !== null) await link(tx, client, { userId: row.user_id, input });
}

async function changeName(tx: Tx, user: User, { displayName }: PersonInput): Promise<void> {
  const display_name = displayName.slice(0, 64);
  if (display_name === "" || display_name === user.display_name) return;
  await tx.user.update({ where: { id: user.id }, data: { display_name } });
}

/**
 * Disables the account of a person who becomes inactive, and ends all access. Enables it again only if it was
 * disabled here: what an administrator has disabled stays disabled.
 */
async function applyActive(
  tx: Tx,
  secrets: Secrets,
  client: ScimClient,
  { row, user, active }: { row: ScimUser; user: User; active: boolean },
): Promise<void> {
  if (row.active === active) return;
  const isEnabled = user.status === UserStatus.enabled;
  if (!active) {
    const data = { active, disabled_account: isEnabled };
    await tx.scimUser.update({ where: { id: row.id }, data });
    await setStatus(tx, client, user, UserStatus.disabled);
    await endAccess(tx, secrets, user.id);
    return;
  }
  await tx.scimUser.update({ where: { id: row.id }, data: { active, disabled_account: false } });
  if (row.disabled_account) await setStatus(tx, client, user, UserStatus.enabled);
}

async function setStatus(tx: Tx, { actor }: ScimClient, user: User, status: number): Promise<void> {
  if (user.status === status) return;
  await tx.user.update({ where: { id: user.id }, data: { status } });
  await writeAudit(tx, {
    actor,
    action: status === UserStatus.enabled ? "user.enable" : "user.disable",
    targetType: "user",
    targetId: user.id,
    before: { status: user.status },
    after: { status },
  });
  await announce(tx, "users", user.id);
}

function requireMayManage({ provider }: ScimClient, user: User): void {
  if (!mayAssign(provider, user.role)) throw forbidden({ reason: "scim_protected_account" });
}

async function requireFree(
  tx: Tx,
  provider: IdentityProvider,
  input: PersonInput,
  exceptId?: string,
): Promise<void> {
  const others = { provider_id: provider.id, ...(exceptId === undefined ? {} : { id: { not: exceptId } }) };
  const name_key = input.userName.toLowerCase();
  if ((await tx.scimUser.count({ where: { ...others, name_key } })) > 0) throw valueTakenError("userName");
  if (input.externalId === null) return;
  if ((await tx.scimUser.count({ where: { ...others, external_id: input.externalId } })) > 0)
    throw valueTakenError("externalId");
}

function columnsOf({ userName, externalId, attributes }: PersonInput) {
  return {
    user_name: userName,
    name_key: userName.toLowerCase(),
    external_id: externalId,
    attributes: attributes as Prisma.InputJsonObject,
  };
}

type AuditedPerson = Pick<ScimUser, "user_name" | "external_id" | "active"> & { attributes: unknown };

function auditedFields({ user_name, external_id, active, attributes }: AuditedPerson) {
  return { user_name, external_id, active, attributes };
}

/** Returns a person's own attributes as a client would send them. */
export function resourceOf(row: ScimUser): Json {
  return {
    ...(row.attributes as Json),
    userName: row.user_name,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    active: row.active,
  };
}

export function valueTakenError(field: string) {
  return conflict({ reason: "scim_taken", field });
}

function isScimConflict(error: unknown): boolean {
  return (
    error instanceof Error &&
    "params" in error &&
    (error.params as { reason?: unknown }).reason === "scim_taken"
  );
}

export function unknownResource() {
  return notFound({ reason: "scim_resource_not_found" });
}

export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}
