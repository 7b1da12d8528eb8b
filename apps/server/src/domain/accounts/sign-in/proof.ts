import { GatewayError, invalidRequest } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { takeGuess } from "./password-guesses.ts";
import { passwordMatches } from "./passwords.ts";
import { requireSecondFactor } from "./second-factor.ts";

/**
 * Proof of ownership, required before changes that outlive the session: a password, a passkey, a second
 * factor, an access token or a linked identity. A stolen session must not suffice for permanent access.
 */
export interface OwnershipProof {
  user: User;
  password: string;
  /** Code of the authenticator app, for accounts without a password; "" if there is none. */
  code?: string;
  ip: string;
  /** Session id of the browser; undefined for an access token. */
  session: string | undefined;
  /** Form field that contains the password. */
  field?: string;
}

const PURPOSE = "link";
export const RECENT_MINUTES = 10;

/**
 * Requires the current password. An account without one needs a code of the second factor, or a session that
 * started within the last minutes. Throws `invalid_request` with the field, `rate_limit_exceeded`,
 * `totp_wrong` or `sign_in_again`.
 */
export async function requireProof(db: Db, secrets: Secrets, proof: OwnershipProof): Promise<void> {
  const { user, password, code = "", ip, session, field = "password" } = proof;
  if (user.password_hash !== null) {
    const guess = await takeGuess(db, secrets, { name: user.username, user, ip });
    if (!(await passwordMatches(user.password_hash, password))) throw wrongPassword(field);
    await guess.right();
    return;
  }
  if (user.totp_enabled && code !== "") return requireSecondFactor(db, secrets, user, code);
  if (await isRecent(db, secrets, user.id, session)) return;
  throw new GatewayError("sign_in_again", { reason: "sign_in_again_here", minutes: RECENT_MINUTES });
}

export function wrongPassword(field: string): GatewayError {
  return invalidRequest({ reason: "current_password_wrong" }, { field });
}

/** Returns whether this browser signed in within the last minutes. */
export async function isRecent(
  db: Db,
  secrets: Secrets,
  userId: number,
  session: string | undefined,
): Promise<boolean> {
  if (session === undefined) return false;
  const since = new Date(currentTime().getTime() - RECENT_MINUTES * 60_000);
  const where = { id_hash: secrets.hash(session), user_id: userId, created_time: { gt: since } };
  return (await db.session.count({ where })) > 0;
}

/** Permits this session, after a proof, to link one external identity within the next minutes. */
export async function permitLink(db: Db, secrets: Secrets, userId: number, session: string): Promise<void> {
  const row = {
    code_hash: secrets.hash(`${PURPOSE}:${userId}`),
    payload: { user_id: userId },
    expires_at: new Date(currentTime().getTime() + RECENT_MINUTES * 60_000),
  };
  const subject = subjectOf(secrets, session);
  await db.oneTimeCode.upsert({
    where: { purpose_subject: { purpose: PURPOSE, subject } },
    create: { purpose: PURPOSE, subject, ...row },
    update: row,
  });
}

/** Consumes the permit. Throws `proof_required`. */
export async function spendLinkPermit(
  db: Db,
  secrets: Secrets,
  userId: number,
  session: string | undefined,
): Promise<void> {
  const { count } =
    session === undefined
      ? { count: 0 }
      : await db.oneTimeCode.deleteMany({
          where: {
            purpose: PURPOSE,
            subject: subjectOf(secrets, session),
            code_hash: secrets.hash(`${PURPOSE}:${userId}`),
            expires_at: { gt: currentTime() },
          },
        });
  if (count === 1) return;
  throw new GatewayError("proof_required");
}

function subjectOf(secrets: Secrets, session: string): string {
  return Buffer.from(secrets.hash(session)).toString("hex");
}
