import { derivationHash, revealKey } from "#domain/tokens/keys.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { derivationIdOf } from "./derived-key.ts";

const portion = 500;

/**
 * Adds the hash by which derived keys find their token to tokens that a version without derived keys has stored. A token
 * that was imported as the hash of its key has no such hash.
 */
export async function completeDerivationHashes(
  db: Pick<PrismaClient, "token">,
  secrets: Secrets,
  stopping: AbortSignal,
): Promise<void> {
  for (let last = 0; !stopping.aborted;) {
    const rows = await db.token.findMany({
      where: {
        id: { gt: last },
        derivation_hash: null,
        deleted_at: null,
        NOT: { key_encrypted: new Uint8Array() },
      },
      select: { id: true, key_hash: true, key_encrypted: true },
      orderBy: { id: "asc" },
      take: portion,
    });
    for (const row of rows) {
      last = row.id;
      const hash = derivationHash(secrets, derivationIdOf(revealKey(secrets, row)));
      // Not if the key was replaced meanwhile.
      const where = { id: row.id, key_hash: row.key_hash };
      await db.token.updateMany({ where, data: { derivation_hash: hash } });
    }
    if (rows.length < portion) return;
  }
}
