/**
 * Prices that were promised for one call. It must not depend on how a price is computed. What a call with a quote was
 * charged is written by the ledger.
 */
import { randomBytes } from "node:crypto";
import { GatewayError } from "#errors.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { createTurns } from "#platform/turns.ts";

/** How long unused and used quotes are kept for the report. */
const unusedHours = 1;
const usedDays = 90;

export interface NewQuote {
  readonly userId: number;
  readonly tokenId: number;
  /** SHA-256 of everything that decides the price. */
  readonly requestHash: Buffer;
  readonly model: string;
  /** Points. */
  readonly amount: bigint;
  /** Estimated tokens. */
  readonly input: number;
  readonly output: number;
}

export interface CreatedQuote {
  readonly id: string;
  readonly expiresAt: Date;
}

export interface QuoteLimits {
  /** Seconds in which a quote can be used. */
  readonly seconds: number;
  /** Quotes of an account that can still be used. */
  readonly mostOpen: number;
}

/** Requests of one account wait for each other before they take a connection. */
const turns = createTurns<number>(
  1,
  1_000,
  () => new GatewayError("rate_limit_exceeded", { reason: "too_many_requests" }, { retryAfter: 1 }),
);

/**
 * Stores a quote. Throws `rate_limit_exceeded` for an account with too many open ones. Concurrent requests of the account,
 * also at other nodes, stay within this limit together.
 */
export async function createQuote(
  db: PrismaClient,
  quote: NewQuote,
  { seconds, mostOpen }: QuoteLimits,
): Promise<CreatedQuote> {
  const { userId, tokenId, requestHash, model, amount, input, output } = quote;
  const id = `quote_${randomBytes(18).toString("base64url")}`;
  const [, rows] = await turns.run(userId, () =>
    db.$transaction([
      db.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.createQuote}::int, ${userId}::int)`,
      db.$queryRaw<{ expires_at: Date }[]>`
        INSERT INTO quotes (id, user_id, token_id, request_hash, model, amount, input, output, expires_at)
        SELECT ${id}, ${userId}, ${tokenId}, ${requestHash}, ${model}, ${amount}, ${input}, ${output},
          now() + make_interval(secs => ${seconds})
        WHERE (SELECT count(*) FROM (
          SELECT FROM quotes WHERE user_id = ${userId} AND expires_at > now() AND request_id IS NULL LIMIT ${mostOpen}
        ) q) < ${mostOpen}
        RETURNING expires_at`,
    ]),
  );
  const [row] = rows;
  if (row !== undefined) return { id, expiresAt: row.expires_at };
  throw new GatewayError(
    "rate_limit_exceeded",
    { reason: "too_many_quotes", most: mostOpen },
    { retryAfter: seconds },
  );
}

export interface QuoteUse {
  readonly id: string;
  readonly tokenId: number;
  readonly requestId: string;
  readonly requestHash: Buffer;
}

export interface ClaimedQuote {
  readonly id: string;
  readonly amount: bigint;
}

/** Takes a quote for a call, so that no other call can use it. Throws `quote_not_valid`. */
export async function claimQuote(pool: Pool, use: QuoteUse): Promise<ClaimedQuote> {
  const { id, tokenId, requestId, requestHash } = use;
  const { rows } = await pool.query<ClaimedQuote>(
    `UPDATE quotes SET request_id = $2
     WHERE id = $1 AND token_id = $3 AND request_hash = $4 AND request_id IS NULL AND expires_at > now()
     RETURNING id, amount`,
    [id, requestId, tokenId, requestHash],
  );
  const [quote] = rows;
  if (quote !== undefined) return quote;
  throw await refusalOf(pool, use);
}

/** The ID of another token's quote is answered like one that does not exist. */
async function refusalOf(pool: Pool, { id, tokenId, requestHash }: QuoteUse): Promise<GatewayError> {
  const { rows } = await pool.query<{ is_same: boolean; is_used: boolean }>(
    `SELECT request_hash = $3 AS is_same, request_id IS NOT NULL AS is_used FROM quotes
     WHERE id = $1 AND token_id = $2`,
    [id, tokenId, requestHash],
  );
  const [quote] = rows;
  const reason =
    quote === undefined
      ? "quote_unknown"
      : quote.is_used
        ? "quote_used"
        : quote.is_same
          ? "quote_expired"
          : "quote_other_request";
  return new GatewayError("quote_not_valid", { reason }, { param: "x-quote-id" });
}

/** Gives a quote back whose call failed before it was charged. */
export async function releaseQuote(
  pool: Pool,
  { id, requestId }: Pick<QuoteUse, "id" | "requestId">,
): Promise<void> {
  await pool.query(
    "UPDATE quotes SET request_id = NULL WHERE id = $1 AND request_id = $2 AND charged IS NULL",
    [id, requestId],
  );
}

/** Deletes unused quotes after an hour, and used ones when the report no longer shows them. */
export async function forgetQuotes(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM quotes WHERE expires_at < now() - CASE WHEN request_id IS NULL
       THEN make_interval(hours => $1) ELSE make_interval(days => $2) END`,
    [unusedHours, usedDays],
  );
}
