/**
 * Device sign-in (RFC 8628): a command-line tool asks for a code, its user approves the code in the console, and
 * the tool fetches a token. Both codes are stored as keyed hashes, in the database, so that any node can answer.
 */
import { randomBytes, randomInt } from "node:crypto";
import type { WaitingDevice } from "@gateway/shared/accounts/device";
import { TokenInput } from "@gateway/shared/accounts/token";
import { z } from "zod";
import { returnAttempt, takeAttempt } from "#domain/accounts/sign-in/pace.ts";
import { isEnabled } from "#domain/accounts/users.ts";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { notFound } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { OneTimeCode, Prisma, PrismaClient, Token } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { changeInTurn } from "./storage-limits.ts";
import { columnsOf } from "./token-columns.ts";
import { addToken, type Owner } from "./tokens.ts";

const PURPOSE = "device";
const LIFE_SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** A poll may arrive this much early, because networks are not equally fast. */
const EARLY_MS = 1_000;
const CODE_LENGTH = 8;
/** Consonants: no letter looks like a digit or another letter, and no code is a word. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE = new RegExp(`^[${LETTERS}]{${CODE_LENGTH}}$`);

const GUESSES = "device-guess";
/** Wrong user codes of one user. There are 25 billion codes. */
const GUESS_PACE = { burst: 10, everyMs: 90_000, reason: "too_many_codes" } as const;

const SignIn = z.object({
  name: z.string(),
  ip: z.string(),
  /** Seconds between two polls. It grows with each poll that comes too early. */
  interval: z.number(),
  /** Milliseconds since 1970. */
  polled_at: z.number(),
  state: z.enum(["pending", "approved", "denied"]),
  user_id: z.number().optional(),
  token: TokenInput.optional(),
});
type SignIn = z.infer<typeof SignIn>;

/** Errors of RFC 8628, section 3.5, and RFC 6749, section 5.2. */
type DeviceError =
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_grant";

interface StartedSignIn {
  deviceCode: string;
  /** As the user reads it: XXXX-XXXX. */
  userCode: string;
  lifeSeconds: number;
  intervalSeconds: number;
}

/** Starts a sign-in. Returns the only copies of both codes. */
export async function startDeviceSignIn(
  db: Db,
  secrets: Secrets,
  { name, ip }: { name: string; ip: string },
): Promise<StartedSignIn> {
  const deviceCode = randomBytes(32).toString("base64url");
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  const payload: SignIn = {
    name,
    ip: ip.slice(0, 64),
    interval: INTERVAL_SECONDS,
    polled_at: 0,
    state: "pending",
  };
  await db.oneTimeCode.create({
    data: {
      purpose: PURPOSE,
      subject: subjectOf(secrets, deviceCode),
      code_hash: hashOf(secrets, letters),
      payload,
      expires_at: new Date(currentTime().getTime() + LIFE_SECONDS * 1_000),
    },
  });
  return {
    deviceCode,
    userCode: `${letters.slice(0, 4)}-${letters.slice(4)}`,
    lifeSeconds: LIFE_SECONDS,
    intervalSeconds: INTERVAL_SECONDS,
  };
}

/**
 * Answers a poll of the device. After the approval, exactly one poll gets the token, which is created for it.
 * @param ip address of the device
 */
export async function pollDeviceSignIn(
  db: PrismaClient,
  secrets: Secrets,
  { deviceCode, ip }: { deviceCode: string; ip: string },
): Promise<{ token: Token; key: string } | DeviceError> {
  const subject = subjectOf(secrets, deviceCode);
  return changeInTurn(db, subject, async (tx) => {
    const row = await lockedRow(tx, { subject });
    if (row === undefined) return "invalid_grant";
    if (row.expires_at <= currentTime()) return "expired_token";
    const signIn = SignIn.parse(row.payload);
    if (signIn.state === "denied") return "access_denied";
    if (signIn.state === "pending") return waitLonger(tx, row, signIn);
    await tx.oneTimeCode.delete({ where: { id: row.id } });
    const owner = await approverOf(tx, signIn, ip);
    if (owner === undefined || signIn.token === undefined) return "access_denied";
    return addToken(tx, secrets, owner, signIn.token, signIn.name);
  });
}

async function waitLonger(
  tx: Prisma.TransactionClient,
  { id }: OneTimeCode,
  signIn: SignIn,
): Promise<DeviceError> {
  const now = currentTime().getTime();
  const tooEarly = now - signIn.polled_at < signIn.interval * 1_000 - EARLY_MS;
  const interval = tooEarly ? signIn.interval + INTERVAL_SECONDS : signIn.interval;
  const payload: SignIn = { ...signIn, interval, polled_at: now };
  await tx.oneTimeCode.update({ where: { id }, data: { payload } });
  return tooEarly ? "slow_down" : "authorization_pending";
}

/** Reads the user again: the account may have been disabled since the approval. */
async function approverOf(db: Db, { user_id: id }: SignIn, ip: string): Promise<Owner | undefined> {
  if (id === undefined) return undefined;
  const user = await db.user.findFirst({ where: { id, deleted_at: null } });
  if (user === null || !isEnabled(user)) return undefined;
  return { id: user.id, username: user.username, role: user.role, group: user.group, ip };
}

/**
 * Returns the device that shows this code. Throws `not_found` for a code that no device waits with, and
 * `rate_limit_exceeded` after too many wrong ones.
 */
export async function findWaitingDevice(
  db: PrismaClient,
  secrets: Secrets,
  owner: Owner,
  userCode: string,
): Promise<WaitingDevice> {
  const row = await guess(db, owner, async () => pendingRow(db, secrets, userCode));
  const { name, ip } = SignIn.parse(row.payload);
  const expires = unixTime(row.expires_at);
  return { device_name: name, ip, created_time: expires - LIFE_SECONDS, expires_time: expires };
}

/**
 * Approves a device for this user. Throws as `findWaitingDevice`, and for an input that `createToken` refuses.
 */
export async function approveDevice(
  db: PrismaClient,
  secrets: Secrets,
  owner: Owner,
  { userCode, token }: { userCode: string; token: TokenInput },
): Promise<void> {
  await guess(db, owner, () =>
    changeInTurn(db, owner.id, async (tx) => {
      const row = await pendingRow(tx, secrets, userCode);
      if (row === undefined) return undefined;
      // The device could not report these errors.
      await columnsOf(tx, owner, { ...token, remain_quota: BigInt(token.remain_quota) });
      await decide(tx, owner, row, { state: "approved", user_id: owner.id, token });
      return row;
    }),
  );
}

/** Denies a device. Throws as `findWaitingDevice`. */
export async function denyDevice(
  db: PrismaClient,
  secrets: Secrets,
  owner: Owner,
  userCode: string,
): Promise<void> {
  await guess(db, owner, () =>
    changeInTurn(db, owner.id, async (tx) => {
      const row = await pendingRow(tx, secrets, userCode);
      if (row !== undefined) await decide(tx, owner, row, { state: "denied" });
      return row;
    }),
  );
}

/** The tokens of this user's devices, latest first. */
export async function listDeviceTokens(db: Db, ownerId: number): Promise<Token[]> {
  return db.token.findMany({
    where: { user_id: ownerId, deleted_at: null, device_name: { not: null } },
    orderBy: { id: "desc" },
    take: 200,
  });
}

async function decide(
  tx: Prisma.TransactionClient,
  owner: Owner,
  { id, payload }: OneTimeCode,
  decision: Pick<SignIn, "state" | "user_id" | "token">,
): Promise<void> {
  const signIn = SignIn.parse(payload);
  await tx.oneTimeCode.update({ where: { id }, data: { payload: { ...signIn, ...decision } } });
  await writeAudit(tx, {
    actor: owner,
    action: decision.state === "approved" ? "device.approve" : "device.deny",
    targetType: "device",
    targetId: signIn.name,
    after: { device_name: signIn.name, ip: signIn.ip },
  });
}

/** Counts a wrong code before it is looked up, so that codes tried at once count too. A right one is free. */
async function guess(
  db: PrismaClient,
  { id }: Owner,
  find: () => Promise<OneTimeCode | undefined>,
): Promise<OneTimeCode> {
  await takeAttempt(db, GUESSES, String(id), GUESS_PACE);
  const row = await find();
  if (row === undefined) throw notFound({ reason: "device_code_unknown" });
  await returnAttempt(db, GUESSES, String(id), GUESS_PACE.everyMs);
  return row;
}

/** Returns the row of a code that waits for a decision. In a transaction it is locked. */
async function pendingRow(db: Db, secrets: Secrets, userCode: string): Promise<OneTimeCode | undefined> {
  const letters = readUserCode(userCode);
  if (letters === undefined) return undefined;
  const row = await lockedRow(db, { code_hash: hashOf(secrets, letters) });
  if (row === undefined || row.expires_at <= currentTime()) return undefined;
  return SignIn.parse(row.payload).state === "pending" ? row : undefined;
}

async function lockedRow(
  db: Db,
  by: { subject: string } | { code_hash: Uint8Array<ArrayBuffer> },
): Promise<OneTimeCode | undefined> {
  const where = { purpose: PURPOSE, ...by };
  const found = await db.oneTimeCode.findFirst({ where, select: { id: true } });
  if (found === null) return undefined;
  await db.$queryRaw`SELECT FROM one_time_codes WHERE id = ${found.id} FOR UPDATE`;
  return (await db.oneTimeCode.findUnique({ where: { id: found.id } })) ?? undefined;
}

/** Accepts any letter case, spaces and hyphens. Returns undefined for a text that cannot be a code. */
function readUserCode(text: string): string | undefined {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return USER_CODE.test(letters) ? letters : undefined;
}

function subjectOf(secrets: Secrets, deviceCode: string): string {
  return Buffer.from(secrets.hash(`device:${deviceCode}`)).toString("hex");
}

function hashOf(secrets: Secrets, letters: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(secrets.hash(`device-user:${letters}`));
}
