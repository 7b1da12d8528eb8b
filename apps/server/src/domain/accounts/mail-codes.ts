/**
 * Six-digit codes sent by email. Only a keyed hash is stored. A code works once and is void after a few
 * wrong attempts. The next code to the same address has to wait.
 */
import { randomInt } from "node:crypto";
import { hasDomainOf } from "@gateway/shared/site/mail";
import type { Settings } from "@gateway/shared/site/settings";
import { type GatewayError, invalidRequest } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { sameSecret, type Secrets } from "#platform/secrets.ts";
import { takeAttempt } from "./sign-in/pace.ts";

export const CODE_MINUTES = 10;
const MAX_GUESSES = 5;

/** Purpose and recipient of a code. A later code replaces an earlier one. */
export interface CodePlace {
  purpose: "email-signup" | "email-bind";
  subject: string;
  email: string;
}

/**
 * Throws `rate_limit_exceeded` if such an email was just sent to this address, or too many within the hour.
 */
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
 * Counts the attempt and compares the code. Throws `invalid_request` on `field`. Must not run inside a
 * transaction that a wrong attempt rolls back. `spendCode` consumes the code.
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
  // A correct code does not count: it may be sent again if the request failed for another reason, e.g. a
  // taken name.
  await db.oneTimeCode.updateMany({
    where: { purpose, subject, attempts: { gt: 0 } },
    data: { attempts: { decrement: 1 } },
  });
}

/** Consumes the code in the transaction that relies on it. Of two concurrent requests, one is rejected. */
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

/** Throws `invalid_request` for an address outside the operator's domain list, if the list is enabled. */
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
