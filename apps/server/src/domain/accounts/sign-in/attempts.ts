/** Attempts at a short secret, counted in the database so that all nodes share the count. */
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";

/** Maximum number of attempts per window, right or wrong. After it, even the correct secret is rejected. */
const MAX_ATTEMPTS = 8;
const WINDOW_MS = 15 * 60_000;
const nothing = new Uint8Array();

/**
 * Counts an attempt before the secret is checked, so that concurrent attempts count too. Throws
 * `rate_limit_exceeded`. Must not run inside a transaction that a wrong attempt rolls back.
 */
export async function takeAttempt(db: Db, purpose: string, subject: string): Promise<void> {
  const until = new Date(currentTime().getTime() + WINDOW_MS);
  const [row] = await db.$queryRaw<{ attempts: number; expires_at: Date }[]>`
    INSERT INTO one_time_codes AS c (purpose, subject, code_hash, attempts, expires_at)
    VALUES (${purpose}, ${subject}, ${nothing}, 1, ${until})
    ON CONFLICT (purpose, subject) DO UPDATE SET
      attempts = CASE WHEN c.expires_at < now() THEN 1 ELSE least(c.attempts + 1, 1000) END,
      expires_at = CASE WHEN c.expires_at < now() THEN excluded.expires_at ELSE c.expires_at END
    RETURNING attempts, expires_at`;
  if (row === undefined || row.attempts <= MAX_ATTEMPTS) return;
  throw new GatewayError(
    "rate_limit_exceeded",
    { reason: "too_many_codes" },
    {
      retryAfter: Math.max(1, (row.expires_at.getTime() - currentTime().getTime()) / 1000),
    },
  );
}

/** Resets the count after a correct attempt. */
export async function forgetAttempts(db: Db, purpose: string, subject: string): Promise<void> {
  await db.oneTimeCode.deleteMany({ where: { purpose, subject } });
}
