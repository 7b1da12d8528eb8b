import { forbidden } from "#errors.ts";
import type { Db } from "#platform/db.ts";
import { randomText, sameSecret, type Secrets } from "#platform/secrets.ts";

/**
 * The thread between leaving for an identity provider and coming back: a state that works once, for ten minutes, in
 * the browser that left, and for the person (or guest) who was signed in there. Only hashes are stored.
 */

const PURPOSE = "sign-in";
export const STATE_MINUTES = 10;
const SECRET_LENGTH = 43;

export interface Departure {
  state: string;
  /** For the cookie that binds the state to this browser. */
  browser: string;
}

/** @param browser what the cookie holds already: somebody may leave through two windows */
export async function issueState(
  db: Db,
  secrets: Secrets,
  { browser, userId }: { browser: string | undefined; userId: number | null },
): Promise<Departure> {
  const departure: Departure = {
    state: randomText(SECRET_LENGTH),
    browser: browser !== undefined && /^[A-Za-z0-9]{43}$/.test(browser) ? browser : randomText(SECRET_LENGTH),
  };
  const now = Date.now();
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

/** Whoever presents a state spends it. Throws `forbidden` unless it is this browser's and this person's. */
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
    row.expires_at > new Date() &&
    browser !== undefined &&
    sameSecret(row.code_hash, secrets.hash(browser)) &&
    ownerOf(row.payload) === userId;
  if (!fits) throw forbidden("This sign-in has expired or was begun in another browser. Start again.");
  return { userId, expiresAt: row.expires_at };
}

/** The provider could not be asked, so nothing was decided: the same browser may try once more. */
export async function returnState(
  db: Db,
  secrets: Secrets,
  departure: Departure,
  spent: SpentState,
): Promise<void> {
  await keep(db, secrets, departure, spent);
}

/** A secret that belongs to this departure, e.g. the PKCE verifier: made anew whenever it is needed, never stored. */
export function derivedSecret(secrets: Secrets, purpose: string, { state, browser }: Departure): string {
  return Buffer.from(secrets.hash(`sign-in:${purpose}:${state}:${browser}`)).toString("base64url");
}

async function keep(db: Db, secrets: Secrets, { state, browser }: Departure, facts: SpentState) {
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
