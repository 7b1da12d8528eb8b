/**
 * State of a sign-in at an identity provider, from the redirect to the callback. It works once, for ten
 * minutes, in the browser that started it and for the user (or guest) who was signed in there. Only hashes
 * are stored.
 */
import { getUser, isEnabled, userDisabled } from "#domain/accounts/users.ts";
import { forbidden, type GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { User } from "#platform/prisma/client.ts";
import { randomText, sameSecret, type Secrets } from "#platform/secrets.ts";

const PURPOSE = "sign-in";
export const STATE_MINUTES = 10;
const SECRET_LENGTH = 43;

export interface SignInStart {
  state: string;
  /** Value of the cookie that binds the state to this browser. */
  browser: string;
}

/** @param browser current value of the cookie: a user may start sign-ins in two windows */
export async function issueState(
  db: Db,
  secrets: Secrets,
  { browser, userId }: { browser: string | undefined; userId: number | null },
): Promise<SignInStart> {
  const departure: SignInStart = {
    state: randomText(SECRET_LENGTH),
    browser: browser !== undefined && /^[A-Za-z0-9]{43}$/.test(browser) ? browser : randomText(SECRET_LENGTH),
  };
  const now = currentTime().getTime();
  await db.oneTimeCode.deleteMany({ where: { purpose: PURPOSE, expires_at: { lt: new Date(now) } } });
  await keep(db, secrets, departure, {
    userId,
    expiresAt: new Date(now + STATE_MINUTES * 60_000),
  });
  return departure;
}

export interface SpentState {
  userId: number | null;
  expiresAt: Date;
}

/** Consumes a state. Throws `forbidden` unless it belongs to this browser and this user. */
export async function spendState(
  db: Db,
  secrets: Secrets,
  { state, browser }: { state: string; browser: string | undefined },
  userId: number | null,
): Promise<SpentState> {
  const [row] = await db.$queryRaw<{ code_hash: Uint8Array; payload: unknown; expires_at: Date }[]>`
    DELETE FROM one_time_codes WHERE purpose = ${PURPOSE} AND subject = ${subjectOf(secrets, state)}
    RETURNING code_hash, payload, expires_at`;
  const fits =
    row !== undefined &&
    row.expires_at > currentTime() &&
    browser !== undefined &&
    sameSecret(row.code_hash, secrets.hash(browser)) &&
    ownerOf(row.payload) === userId;
  if (!fits) throw expiredError();
  return { userId, expiresAt: row.expires_at };
}

/** Restores a state after the provider could not be reached, so that the same browser may try once more. */
export async function returnState(
  db: Db,
  secrets: Secrets,
  departure: SignInStart,
  spent: SpentState,
): Promise<void> {
  await keep(db, secrets, departure, spent);
}

/**
 * Derives a secret of this sign-in, e.g. the PKCE verifier. It is derived whenever needed and never stored.
 */
export function derivedSecret(secrets: Secrets, purpose: string, { state, browser }: SignInStart): string {
  return Buffer.from(secrets.hash(`sign-in:${purpose}:${state}:${browser}`)).toString("base64url");
}

const ARRIVED = "sign-in-code";

/** Records that a user with a second factor returned from a provider: this browser may send the code. */
export async function keepArrival(
  db: Db,
  secrets: Secrets,
  { userId, browser = "" }: { userId: number; browser: string | undefined },
): Promise<void> {
  const row = {
    code_hash: secrets.hash(`${ARRIVED}:${userId}`),
    payload: { user_id: userId },
    expires_at: new Date(currentTime().getTime() + STATE_MINUTES * 60_000),
  };
  const subject = subjectOf(secrets, `${ARRIVED}:${browser}`);
  await db.oneTimeCode.upsert({
    where: { purpose_subject: { purpose: ARRIVED, subject } },
    create: { purpose: ARRIVED, subject, ...row },
    update: row,
  });
}

/** Returns the user who returned from a provider in this browser. Throws `forbidden` or `user_disabled`. */
export async function findArrival(db: Db, secrets: Secrets, browser: string | undefined): Promise<User> {
  const row = await db.oneTimeCode.findFirst({
    where: {
      purpose: ARRIVED,
      subject: subjectOf(secrets, `${ARRIVED}:${browser ?? ""}`),
      expires_at: { gt: currentTime() },
    },
  });
  const userId = ownerOf(row?.payload ?? null);
  if (browser === undefined || typeof userId !== "number") throw expiredError();
  const user = await getUser(db, userId);
  if (!isEnabled(user)) throw userDisabled();
  return user;
}

/** Consumes the record. Throws `forbidden` if another request consumed it first. */
export async function spendArrival(
  db: Db,
  secrets: Secrets,
  { userId, browser = "" }: { userId: number; browser: string | undefined },
): Promise<void> {
  const { count } = await db.oneTimeCode.deleteMany({
    where: {
      purpose: ARRIVED,
      subject: subjectOf(secrets, `${ARRIVED}:${browser}`),
      code_hash: secrets.hash(`${ARRIVED}:${userId}`),
    },
  });
  if (count === 0) throw expiredError();
}

function expiredError(): GatewayError {
  return forbidden({ reason: "sign_in_expired" });
}

async function keep(db: Db, secrets: Secrets, { state, browser }: SignInStart, facts: SpentState) {
  await db.oneTimeCode.create({
    data: {
      purpose: PURPOSE,
      subject: subjectOf(secrets, state),
      code_hash: secrets.hash(browser),
      payload: { user_id: facts.userId },
      expires_at: facts.expiresAt,
    },
  });
}

function subjectOf(secrets: Secrets, state: string): string {
  return Buffer.from(secrets.hash(state)).toString("hex");
}

function ownerOf(payload: unknown): number | null | undefined {
  if (typeof payload !== "object" || payload === null || !("user_id" in payload)) return undefined;
  return typeof payload.user_id === "number" ? payload.user_id : null;
}
