/** Tokens of the SCIM clients of sign-in providers. Each provider has at most one; only its hash is stored. */
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { lockProvider } from "#domain/identity-providers/identity-providers.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { IdentityProvider, Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { randomText, sameSecret, type Secrets } from "#platform/secrets.ts";

const LENGTH = 43;
/** How exactly the last use of a token is known. */
const USE_MS = 60_000;

/** Creates a token, which replaces the one before. It is returned only here. Throws `not_found`. */
export async function createScimToken(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  providerId: number,
): Promise<string> {
  const token = `scim-${randomText(LENGTH)}`;
  await changeToken(db, actor, providerId, "scim.token_create", {
    scim_token_hash: secrets.hash(token),
    scim_token_time: currentTime(),
    scim_last_used: null,
  });
  return token;
}

/** Ends SCIM for a provider. Its people and groups stay. Throws `not_found`. */
export async function revokeScimToken(db: PrismaClient, actor: Actor, providerId: number): Promise<void> {
  const data = { scim_token_hash: null, scim_token_time: null, scim_last_used: null };
  await changeToken(db, actor, providerId, "scim.token_revoke", data);
}

async function changeToken(
  db: PrismaClient,
  actor: Actor,
  id: number,
  action: string,
  data: Prisma.IdentityProviderUpdateInput,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { slug } = await lockProvider(tx, id);
    await tx.identityProvider.update({ where: { id }, data });
    await writeAudit(tx, { actor, action, targetType: "identity_provider", targetId: slug });
  });
}

/** Returns the provider whose SCIM client has this token; undefined if there is none. Records the use. */
export async function findByScimToken(
  db: Db,
  secrets: Secrets,
  token: string,
): Promise<IdentityProvider | undefined> {
  const hash = secrets.hash(token);
  const row = await db.identityProvider.findUnique({ where: { scim_token_hash: hash } });
  if (row === null || row.scim_token_hash === null || !sameSecret(row.scim_token_hash, hash))
    return undefined;
  const now = currentTime();
  if (row.scim_last_used === null || now.getTime() - row.scim_last_used.getTime() > USE_MS)
    await db.identityProvider.updateMany({
      where: { id: row.id, scim_token_hash: hash },
      data: { scim_last_used: now },
    });
  return row;
}
