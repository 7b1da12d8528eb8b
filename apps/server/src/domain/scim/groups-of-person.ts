/** What the SCIM groups of a person give: the rules of the provider, as at a sign-in. */
import { lockUser } from "#domain/accounts/users.ts";
import type { Actor } from "#domain/audit-log/audit.ts";
import { applyAssignment } from "#domain/identity-providers/assignment.ts";
import { providerKeyOf } from "#domain/identity-providers/identity-providers.ts";
import type { Db } from "#platform/database/db.ts";
import type { IdentityProvider, Prisma } from "#platform/prisma/client.ts";

const members = { select: { group: { select: { display_name: true, external_id: true } } } } as const;

/**
 * Locks the accounts of people whose groups change, before a member is added or removed: another change of the same
 * people waits, and sees what this one has written.
 */
export async function lockAccounts(
  tx: Prisma.TransactionClient,
  { id }: IdentityProvider,
  personIds: readonly string[],
): Promise<void> {
  await tx.$executeRaw`
    SELECT 1 FROM users WHERE id IN (
      SELECT user_id FROM scim_users WHERE provider_id = ${id} AND id = ANY(${[...personIds]}::uuid[])
    ) ORDER BY id FOR UPDATE`;
}

/**
 * Applies the rules to the accounts of people whose groups changed. Nothing happens while the client sends no
 * groups at all: then the claim at the sign-in decides.
 * @param personIds ids of people, whose accounts are locked
 */
export async function assignGroups(
  tx: Prisma.TransactionClient,
  { provider, actor }: { provider: IdentityProvider; actor: Actor },
  personIds: readonly string[],
  { always = false }: { always?: boolean } = {},
): Promise<void> {
  if (!always && !(await sendsGroups(tx, provider))) return;
  const people = await tx.scimUser.findMany({
    where: { id: { in: [...personIds] }, provider_id: provider.id },
    select: { user_id: true, members },
    orderBy: { user_id: "asc" },
  });
  for (const person of people)
    await applyAssignment(tx, actor, provider, { userId: person.user_id, groups: namesOf(person) });
}

/** Applies the rules to an account at a sign-in. */
export async function assignAtSignIn(
  tx: Prisma.TransactionClient,
  { provider, actor }: { provider: IdentityProvider; actor: Actor },
  userId: number,
  identity: { subject: string; groups?: readonly string[] },
): Promise<void> {
  // SCIM may have taken the person out of a group since the groups were read.
  await lockUser(tx, userId);
  const groups = await groupsAtSignIn(tx, provider, identity);
  await applyAssignment(tx, actor, provider, { userId, groups });
}

/**
 * Returns the groups that decide at a sign-in: those that SCIM sent, if its client sends any, else those of the
 * claim.
 */
export async function groupsAtSignIn(
  db: Db,
  provider: IdentityProvider,
  identity: { subject: string; groups?: readonly string[] },
): Promise<readonly string[]> {
  if (!(await sendsGroups(db, provider))) return identity.groups ?? [];
  const key = { provider: providerKeyOf(provider), subject: identity.subject };
  const link = await db.identity.findUnique({ where: { provider_subject: key } });
  if (link === null) return [];
  const person = await db.scimUser.findUnique({
    where: { provider_id_user_id: { provider_id: provider.id, user_id: link.user_id } },
    select: { members },
  });
  return person === null ? [] : namesOf(person);
}

async function sendsGroups(db: Db, { id }: IdentityProvider): Promise<boolean> {
  return (await db.scimGroup.findFirst({ where: { provider_id: id }, select: { id: true } })) !== null;
}

/** Rules name a group by its name or by its id in the directory. */
function namesOf(person: {
  members: { group: { display_name: string; external_id: string | null } }[];
}): string[] {
  return person.members.flatMap(({ group }) =>
    group.external_id === null ? [group.display_name] : [group.display_name, group.external_id],
  );
}
