/**
 * Owners of models: name and icon, by the id that prices contain. Ids up to 1000 are reserved for known
 * providers.
 */
import { LAST_RESERVED_OWNER, type ModelOwnerChange } from "@gateway/shared/channels/owner";
import { type Actor, createAuditor } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import type { ModelOwner, PrismaClient } from "#platform/prisma/client.ts";

const auditOwner = createAuditor<ModelOwner>("model_owner", ({ id }) => id);

export async function listOwners(db: Db): Promise<ModelOwner[]> {
  return db.modelOwner.findMany({ orderBy: { id: "asc" } });
}

/** Returns an owner. Throws `not_found`. */
export async function getOwner(db: Db, id: number): Promise<ModelOwner> {
  const owner = await db.modelOwner.findUnique({ where: { id } });
  if (owner === null) throw notFound({ reason: "owner_not_found" });
  return owner;
}

/** Creates an owner. Throws `conflict` if the id is taken. */
export async function createOwner(
  db: PrismaClient,
  actor: Actor,
  input: ModelOwnerChange,
): Promise<ModelOwner> {
  return db.$transaction(async (tx) => {
    // Of two concurrent requests with one id, the second inserts nothing.
    const [owner] = await tx.modelOwner.createManyAndReturn({ data: [input], skipDuplicates: true });
    if (owner === undefined) {
      throw conflict({ reason: "owner_id_taken" }, { field: "id" });
    }
    await auditOwner(tx, actor, "owner.create", undefined, owner);
    return owner;
  });
}

/** Changes the name and icon, also of reserved owners. The id stays. */
export async function changeOwner(
  db: PrismaClient,
  actor: Actor,
  { id, name, icon }: ModelOwnerChange,
): Promise<ModelOwner> {
  return db.$transaction(async (tx) => {
    const before = await getOwner(tx, id);
    const after = await tx.modelOwner.update({ where: { id }, data: { name, icon } });
    await auditOwner(tx, actor, "owner.change", before, after);
    return after;
  });
}

/**
 * Deletes an owner. Throws `invalid_request` for a reserved owner, and `conflict` while prices refer to it.
 */
export async function deleteOwner(db: PrismaClient, actor: Actor, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await getOwner(tx, id);
    if (id <= LAST_RESERVED_OWNER) {
      throw invalidRequest({ reason: "owner_built_in" });
    }
    if ((await tx.price.count({ where: { channel_type: id } })) > 0) {
      throw conflict({ reason: "owner_in_use" });
    }
    await tx.modelOwner.delete({ where: { id } });
    await auditOwner(tx, actor, "owner.delete", before, undefined);
  });
}
