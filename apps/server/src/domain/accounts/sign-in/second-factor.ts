/**
 * The second factor: codes of an authenticator app, and recovery codes in case the device is lost. Each code
 * works once, and the number of attempts is limited.
 */
import { randomBytes } from "node:crypto";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { PrismaClient, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { forgetAttempts, takeAttempt } from "./attempts.ts";
import { base32, stepOf, totpUri } from "./totp.ts";

const ATTEMPTS = "totp";
const USED = "totp-used";
/** Longer than the validity of any code. */
const USED_MS = 5 * 60_000;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;

/**
 * Requires the second factor; does nothing for an account without one. Throws `totp_required`, `totp_wrong`
 * or `rate_limit_exceeded`.
 */
export async function requireSecondFactor(db: Db, secrets: Secrets, user: User, code: string): Promise<void> {
  if (!user.totp_enabled) return;
  if (code === "") {
    throw new GatewayError("totp_required", { reason: "totp_code_required" });
  }
  await takeAttempt(db, ATTEMPTS, String(user.id));
  if (!(await codeFits(db, secrets, user, code)) && !(await spendRecoveryCode(db, secrets, user.id, code))) {
    throw wrongCode();
  }
  await forgetAttempts(db, ATTEMPTS, String(user.id));
}

/**
 * Creates a secret that waits for its first code. Throws `conflict` if the second factor is already enabled.
 */
export async function offerTotp(
  db: Db,
  secrets: Secrets,
  user: User,
  issuer: string,
): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(SECRET_BYTES);
  const sealed = sealTotpSecret(secrets, user.id, secret);
  const { count } = await db.user.updateMany({
    where: { id: user.id, totp_enabled: false },
    data: { totp_secret: sealed },
  });
  if (count === 0) throw alreadyOn();
  return { secret: base32(secret), uri: totpUri(issuer, user.username, secret) };
}

/** Enables the second factor after checking the first code of the app. Returns the recovery codes. */
export async function enableTotp(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  user: User,
  code: string,
): Promise<string[]> {
  if (user.totp_enabled) throw alreadyOn();
  if (user.totp_secret === null) throw conflict({ reason: "totp_secret_missing" });
  await takeAttempt(db, ATTEMPTS, String(user.id));
  if (!(await codeFits(db, secrets, user, code))) throw wrongCode();
  await forgetAttempts(db, ATTEMPTS, String(user.id));
  return db.$transaction(async (tx) => {
    // Only the verified secret may become active, not a newer one that another window requested in the
    // meantime.
    const { count } = await tx.user.updateMany({
      where: { id: user.id, totp_enabled: false, totp_secret: user.totp_secret },
      data: { totp_enabled: true },
    });
    if (count === 0) throw alreadyOn();
    await writeAudit(tx, { actor, action: "user.totp_enable", targetType: "user", targetId: user.id });
    return replaceRecoveryCodes(tx, secrets, user.id);
  });
}

/** Replaces all recovery codes. Requires a code of the second factor. */
export async function renewRecoveryCodes(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  user: User,
  code: string,
): Promise<string[]> {
  if (!user.totp_enabled) throw conflict({ reason: "totp_off" });
  await requireSecondFactor(db, secrets, user, code);
  return db.$transaction(async (tx) => {
    // Locks the account: of two renewals at once, the codes of the first must not stay valid.
    const { count } = await tx.user.updateMany({
      where: { id: user.id, totp_enabled: true },
      data: { totp_enabled: true },
    });
    if (count === 0) throw conflict({ reason: "totp_off" });
    await writeAudit(tx, { actor, action: "user.totp_recovery", targetType: "user", targetId: user.id });
    return replaceRecoveryCodes(tx, secrets, user.id);
  });
}

/** Disables the second factor. The caller must check that the actor may do this. */
export async function removeTotp(db: Db, actor: Actor, userId: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.user.update({ where: { id: userId }, data: { totp_enabled: false, totp_secret: null } });
    await tx.recoveryCode.deleteMany({ where: { user_id: userId } });
    await writeAudit(tx, { actor, action: "user.totp_disable", targetType: "user", targetId: userId });
  });
}

async function codeFits(db: Db, secrets: Secrets, user: User, code: string): Promise<boolean> {
  const digits = code.replaceAll(/\s/g, "");
  if (user.totp_secret === null || !/^\d{6}$/.test(digits)) return false;
  const secret = Buffer.from(secrets.decrypt(user.totp_secret, contextOf(user.id)), "base64");
  const step = stepOf(secret, digits, currentTime().getTime());
  return step !== undefined && (await isFirstUse(db, secrets, user.id, step));
}

/** Records the use of a code. Returns false for a repeated code: an observed code must not work again. */
async function isFirstUse(db: Db, secrets: Secrets, userId: number, step: number): Promise<boolean> {
  const subject = `${userId}:${step}`;
  const { count } = await db.oneTimeCode.createMany({
    data: {
      purpose: USED,
      subject,
      code_hash: secrets.hash(subject),
      expires_at: new Date(currentTime().getTime() + USED_MS),
    },
    skipDuplicates: true,
  });
  return count === 1;
}

async function spendRecoveryCode(db: Db, secrets: Secrets, userId: number, code: string): Promise<boolean> {
  const { count } = await db.recoveryCode.updateMany({
    where: { user_id: userId, code_hash: recoveryHash(secrets, userId, code), used_at: null },
    data: { used_at: currentTime() },
  });
  return count > 0;
}

async function replaceRecoveryCodes(tx: Db, secrets: Secrets, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await tx.recoveryCode.deleteMany({ where: { user_id: userId } });
  await tx.recoveryCode.createMany({
    data: codes.map((code) => ({ user_id: userId, code_hash: recoveryHash(secrets, userId, code) })),
  });
  return codes;
}

/** Returns sixteen characters in four groups: 80 bits. */
function newRecoveryCode(): string {
  return base32(randomBytes(10)).toLowerCase().match(/.{4}/g)?.join("-") ?? "";
}

function recoveryHash(secrets: Secrets, userId: number, code: string): Uint8Array<ArrayBuffer> {
  const bare = code.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return secrets.hash(`recovery:${userId}:${bare}`);
}

/** Encrypts a TOTP secret. Exported for imported accounts, whose secret is already in an app. */
export function sealTotpSecret(
  secrets: Secrets,
  userId: number,
  secret: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return secrets.encrypt(Buffer.from(secret).toString("base64"), contextOf(userId));
}

function contextOf(userId: number): string {
  return `totp:${userId}`;
}

function wrongCode(): GatewayError {
  return new GatewayError("totp_wrong");
}

function alreadyOn(): GatewayError {
  return conflict({ reason: "totp_on" });
}
