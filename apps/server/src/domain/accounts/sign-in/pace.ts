import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";

/**
 * Rate of attempts for one account or address: a burst at once, then one per interval. Counted in the
 * database, so that all nodes share the count. A rejected attempt does not lengthen the wait.
 */
export interface Pace {
  burst: number;
  everyMs: number;
}

const nothing = new Uint8Array();

/** Times are stored in milliseconds and may have been rounded up. */
const ROUNDING_MS = 1;

/** Reasons of limits that report no number. */
type PaceReason =
  | "mail_just_sent"
  | "too_many_mails"
  | "too_many_passwords"
  | "too_many_gifts"
  | "too_many_changes"
  | "too_many_codes";

/** Takes an attempt. Throws `rate_limit_exceeded` with the reason and the seconds to wait. */
export async function takeAttempt(
  db: Db,
  purpose: string,
  subject: string,
  { burst, everyMs, reason }: Pace & { reason: PaceReason },
): Promise<void> {
  // `expires_at` is the time when all attempts so far have been regained at this pace. `clock_timestamp()` is
  // the current time: a transaction that waited for the row may have started before the one that had it.
  const taken = await db.$executeRaw`
    INSERT INTO one_time_codes AS c (purpose, subject, code_hash, expires_at)
    VALUES (${purpose}, ${subject}, ${nothing}, clock_timestamp() + ${everyMs}::float8 * interval '1 ms')
    ON CONFLICT (purpose, subject) DO UPDATE
      SET expires_at = greatest(c.expires_at, clock_timestamp()) + ${everyMs}::float8 * interval '1 ms'
      WHERE c.expires_at <= clock_timestamp() + ${everyMs * (burst - 1) + ROUNDING_MS}::float8 * interval '1 ms'`;
  if (taken > 0) return;
  const row = await db.oneTimeCode.findUnique({ where: { purpose_subject: { purpose, subject } } });
  const freeAt = (row?.expires_at.getTime() ?? 0) - everyMs * (burst - 1);
  throw new GatewayError(
    "rate_limit_exceeded",
    { reason },
    { retryAfter: Math.max(1, (freeAt - currentTime().getTime()) / 1000) },
  );
}

/** Returns one attempt that does not count after all. */
export async function returnAttempt(
  db: Db,
  purpose: string,
  subject: string,
  everyMs: number,
): Promise<void> {
  await db.$executeRaw`
    UPDATE one_time_codes SET expires_at = expires_at - ${everyMs}::float8 * interval '1 ms'
    WHERE purpose = ${purpose} AND subject = ${subject}`;
}

export async function forgetAttempts(db: Db, purpose: string, subject: string): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { purpose, subject } });
}
