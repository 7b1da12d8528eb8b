import { UserStatus } from "@gateway/shared/accounts/user";
import { GatewayError } from "#errors.ts";
import type { Prisma } from "#platform/prisma/client.ts";

/** A person who has proven to be the owner of an account. */
export interface Proven {
  id: number;
  /** The stored hash that the password matched. Undefined after another proof, such as a passkey. */
  passwordHash?: string | null;
}

/**
 * Checks that access to the account has not ended since the proof, and locks the account until the transaction
 * ends. Checking a password takes long: meanwhile it may be changed, or the account disabled. Whatever is
 * written after such a change would not be ended by it. Throws `user_disabled` or `wrong_credentials`.
 */
export async function requireStillProven(
  tx: Prisma.TransactionClient,
  { id, passwordHash }: Proven,
): Promise<void> {
  const [row] = await tx.$queryRaw<{ status: number; deleted: boolean; password_hash: string | null }[]>`
    SELECT status, deleted_at IS NOT NULL AS deleted, password_hash FROM users WHERE id = ${id} FOR SHARE`;
  if (row === undefined || row.deleted || row.status !== UserStatus.enabled)
    throw new GatewayError("user_disabled");
  if (passwordHash === undefined || passwordHash === row.password_hash) return;
  throw new GatewayError("wrong_credentials", { reason: "user_name_or_password_wrong" });
}
