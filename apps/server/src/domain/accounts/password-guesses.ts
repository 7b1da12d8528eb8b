import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { forgetAttempts, type Pace, returnAttempt, takeAttempt } from "./pace.ts";

/**
 * Ends the guessing of passwords without ever locking anyone out for long. One address gets a few tries at an
 * account; all addresses together get some more, then one a minute. Where the account signed in before, the second
 * limit does not hold, so a crowd of strangers cannot keep its owner away.
 */

const ONE_ADDRESS: Pace = { burst: 8, everyMs: 120_000 };
const ALL_ADDRESSES: Pace = { burst: 30, everyMs: 60_000 };
const FROM_ONE = "login-address";
const FROM_ALL = "login-account";
const reason = "too_many_passwords";

export interface Guess {
  /** Calls the guess off: the password was right. */
  right(): Promise<void>;
}

/**
 * Counts a guess before the password is looked at, so that guesses made at the same time count too. A name that
 * no one has is treated like one that someone has. Throws `rate_limit_exceeded`.
 */
export async function takeGuess(
  db: Db,
  secrets: Secrets,
  { name, user, ip }: { name: string; user: User | null; ip: string },
): Promise<Guess> {
  const account = user === null ? hashed(secrets, name.toLowerCase()) : String(user.id);
  const pair = hashed(secrets, `${account}@${ip}`);
  const known = user !== null && (await knowsAddress(db, user, ip));
  await takeAttempt(db, FROM_ONE, pair, { ...ONE_ADDRESS, reason });
  if (!known) await takeAttempt(db, FROM_ALL, account, { ...ALL_ADDRESSES, reason });
  return {
    async right() {
      await forgetAttempts(db, FROM_ONE, pair);
      if (!known) await returnAttempt(db, FROM_ALL, account, ALL_ADDRESSES.everyMs);
    },
  };
}

async function knowsAddress(db: Db, user: User, ip: string): Promise<boolean> {
  if (user.last_login_ip === ip) return true;
  return (await db.session.count({ where: { user_id: user.id, ip, expires_at: { gt: currentTime() } } })) > 0;
}

function hashed(secrets: Secrets, text: string): string {
  return Buffer.from(secrets.hash(`login:${text}`)).toString("hex");
}
