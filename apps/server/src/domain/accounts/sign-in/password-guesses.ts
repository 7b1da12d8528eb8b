/**
 * Limits password attempts without locking a user out for long. One address gets a few attempts per account.
 * All addresses together get some more, then one per minute. The second limit does not apply to addresses
 * where the account signed in before, so attackers at many addresses cannot block its owner.
 */
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { forgetAttempts, type Pace, returnAttempt, takeAttempt } from "./pace.ts";

const ONE_ADDRESS: Pace = { burst: 8, everyMs: 120_000 };
const ALL_ADDRESSES: Pace = { burst: 30, everyMs: 60_000 };
const FROM_ONE = "login-address";
const FROM_ALL = "login-account";
const reason = "too_many_passwords";

export interface Guess {
  /** Undoes the count: the password was correct. */
  right(): Promise<void>;
}

/**
 * Counts an attempt before the password is checked, so that concurrent attempts count too. An unknown name is
 * treated like a known one. Throws `rate_limit_exceeded`.
 */
export async function takeGuess(
  db: Db,
  secrets: Secrets,
  { name, user, ip }: { name: string; user: User | null; ip: string },
): Promise<Guess> {
  const account = user === null ? hashLogin(secrets, name.toLowerCase()) : String(user.id);
  const pair = hashLogin(secrets, `${account}@${ip}`);
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

function hashLogin(secrets: Secrets, text: string): string {
  return Buffer.from(secrets.hash(`login:${text}`)).toString("hex");
}
