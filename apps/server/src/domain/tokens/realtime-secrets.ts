/**
 * Short-lived keys for realtime sessions. A server makes one with its token and gives it to a browser, which opens a session
 * with it. Only its hash is stored.
 */
import { invalidKey, invalidRequest } from "#errors.ts";
import { lockCount } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { randomText, type Secrets } from "#platform/secrets.ts";

/** Prefix of these keys. Tokens never begin with it. */
export const secretPrefix = "ek_";
const SECRET_LENGTH = 40;
/** Keys of one token that have not expired. */
const MOST_SECRETS = 1_000;
/** Expired keys that are deleted with each new one. */
const SWEPT = 100;

export interface RealtimeSecret {
  readonly tokenId: number;
  /** Look-up hash of the token's key that made it, in hexadecimal; undefined for one of an earlier version. */
  readonly madeWith: string | undefined;
  readonly model: string;
  /** Settings of the session in the provider's form. */
  readonly session: Readonly<Record<string, unknown>>;
}

/**
 * Stores a key and returns it. Throws `invalid_request` for a token with too many keys.
 * @param at milliseconds since 1970
 */
export async function createRealtimeSecret(
  db: PrismaClient,
  secrets: Pick<Secrets, "hash">,
  { tokenId, madeWith, model, session }: RealtimeSecret,
  { at, expiresAt }: { at: number; expiresAt: number },
): Promise<string> {
  await db.$executeRaw`DELETE FROM realtime_secrets WHERE key_hash IN (
    SELECT key_hash FROM realtime_secrets WHERE expires_at < ${new Date(at)} ORDER BY expires_at LIMIT ${SWEPT}
    FOR UPDATE SKIP LOCKED)`;
  const secret = secretPrefix + randomText(SECRET_LENGTH);
  const data = {
    key_hash: secrets.hash(secret),
    token_id: tokenId,
    made_with: madeWith === undefined ? null : Buffer.from(madeWith, "hex"),
    model,
    session: session as Prisma.InputJsonObject,
    expires_at: new Date(expiresAt),
  };
  await db.$transaction(async (tx) => {
    await lockCount(tx, `realtime_secrets:${tokenId}`);
    const valid = { token_id: tokenId, expires_at: { gte: new Date(at) } };
    if ((await tx.realtimeSecret.count({ where: valid })) >= MOST_SECRETS)
      throw invalidRequest({ reason: "too_many_realtime_secrets", most: MOST_SECRETS });
    await tx.realtimeSecret.create({ data });
  });
  return secret;
}

/** Returns what a key was made for. Throws `invalid_api_key` for an unknown or expired key. */
export async function findRealtimeSecret(
  db: Db,
  secrets: Pick<Secrets, "hash">,
  secret: string,
  at: number,
): Promise<RealtimeSecret> {
  const row = await db.realtimeSecret.findUnique({ where: { key_hash: secrets.hash(secret) } });
  if (row === null || row.expires_at.getTime() <= at) throw invalidKey();
  return {
    tokenId: row.token_id,
    madeWith: row.made_with === null ? undefined : Buffer.from(row.made_with).toString("hex"),
    model: row.model,
    session: row.session as Record<string, unknown>,
  };
}
