import { GatewayError } from "#errors.ts";
import { readAgain } from "#platform/database/connection-loss.ts";
import type { Db } from "#platform/database/db.ts";

/** Returns which of these derived keys were revoked. */
export async function revokedKeys(db: Db, ids: string[]): Promise<ReadonlySet<string>> {
  const where = { id: { in: ids }, revoked_at: { not: null } };
  const rows = await readAgain(() => db.derivedKey.findMany({ where, select: { id: true } }));
  return new Set(rows.map(({ id }) => id));
}

export function revokedKeyError(): GatewayError {
  return new GatewayError("invalid_api_key", { reason: "derived_key_revoked" });
}
