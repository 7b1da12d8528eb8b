import { randomInt } from "node:crypto";
import { hasDomainOf } from "@gateway/shared/site/mail";
import type { Settings } from "@gateway/shared/site/settings";
import { type GatewayError, invalidRequest } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { sameSecret, type Secrets } from "#platform/secrets.ts";
import { takeAttempt } from "./pace.ts";

/**
 * Codes of six digits that are sent by mail: only a keyed hash is stored, a few guesses end one, it works once, and
 * the next one to the same address has to wait.
 */

export const CODE_MINUTES = 10;
const MAX_GUESSES = 5;

/** What a code is for, and for whom; a later code replaces an earlier one. */
export interface CodePlace {
  purpose: "email-signup" | "email-bind";
  subject: string;
  email: string;
}

/** Throws `rate_limit_exceeded` when the same was just sent to this address, or too much within the hour. */
export async function takeMailAttempt(db: Db, kind: "code" | "reset", email: string): Promise<void> {
  await takeAttempt(db, `mail-${kind}`, email, {
    burst: 1,
    everyMs: 60_000,
    reason: "mail_just_sent",
  });
  await takeAttempt(db, "mail-hour", email, {
    burst: 6,
    everyMs: 600_000,
    reason: "too_many_mails",
  });
}

export async function issueCode(db: Db, secrets: Secrets, place: CodePlace): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  const { purpose, subject, email } = place;
  const row = {
    code_hash: hashOf(secrets, place, code),
    payload: { email },
    attempts: 0,
    expires_at: new Date(currentTime().getTime() + CODE_MINUTES * 60_000),
  };
  await db.oneTimeCode.upsert({
    where: { purpose_subject: { purpose, subject } },
    create: { purpose, subject, ...row },
    update: row,
  });
  return code;
}

/**
 * Counts the guess and compares. Throws `invalid_request` on `field`. Not inside a transaction that a wrong guess
 * rolls back; the code is used up by `spendCode`.
 */
export async function checkCode(
  db: Db,
  secrets: Secrets,
  place: CodePlace,
  { code, field }: { code: string; field: string },
): Promise<void> {
  const { purpose, subject } = place;
  const [row] = await db.$queryRaw<{ code_hash: Uint8Array }[]>`
    UPDATE one_time_codes SET attempts = attempts + 1
    WHERE purpose = ${purpose} AND subject = ${subject} AND attempts < ${MAX_GUESSES} AND expires_at > now()
    RETURNING code_hash`;
  if (row === undefined || !sameSecret(row.code_hash, hashOf(secrets, place, code))) throw wrongCode(field);
  // A right code that is refused for another reason, a name that is taken say, may come again.
  await db.oneTimeCode.updateMany({
    where: { purpose, subject, attempts: { gt: 0 } },
    data: { attempts: { decrement: 1 } },
  });
}

/** Uses the code up, in the transaction that relies on it. Of two at the same time one is refused. */
export async function spendCode(
  tx: Db,
  secrets: Secrets,
  place: CodePlace,
  { code, field }: { code: string; field: string },
): Promise<void> {
  const { purpose, subject } = place;
  const { count } = await tx.oneTimeCode.deleteMany({
    where: { purpose, subject, code_hash: hashOf(secrets, place, code) },
  });
  if (count === 0) throw wrongCode(field);
}

/** Throws `invalid_request` for an address outside the operator's list, while there is one. */
export function requireDomain(
  email: string,
  rules: Pick<Settings, "EmailDomainRestrictionEnabled" | "EmailDomainWhitelist">,
): void {
  if (!rules.EmailDomainRestrictionEnabled || hasDomainOf(email, rules.EmailDomainWhitelist)) return;
  throw invalidRequest({ reason: "mail_domain_refused" }, { field: "email" });
}

export function isEmailTaken(db: Db, email: string, exceptId = 0): Promise<boolean> {
  return db.user
    .count({ where: { email, id: { not: exceptId }, deleted_at: null } })
    .then((count) => count > 0);
}

function hashOf(secrets: Secrets, { purpose, subject, email }: CodePlace, code: string) {
  return secrets.hash(`${purpose}:${subject}:${email}:${code}`);
}

function wrongCode(field: string): GatewayError {
  return invalidRequest({ reason: "mail_code_wrong" }, { field });
}
