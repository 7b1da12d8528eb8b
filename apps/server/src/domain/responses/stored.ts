import type { Message } from "#dialects/ir.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma } from "#platform/prisma/client.ts";

/**
 * Answers that a later call may refer to: which channel and key made one, and, where the provider keeps nothing itself,
 * the conversation up to it. Only who made it may see it. It must not know how a conversation is spelled on a wire.
 */
export interface StoredTurn {
  /** Everything said up to and including the answer. */
  messages: Message[];
  /** The answer as its client saw it. */
  response: Record<string, unknown>;
}

export interface StoredResponse {
  id: string;
  channelId: number;
  keyId: number | null;
  model: string;
  /** Length of the conversation up to and including the answer; 0 when it is not known. */
  tokens: number;
  /** Null when the provider keeps the conversation. */
  turn: StoredTurn | null;
}

const KIND = "response";
const KEEP_DAYS = 30;
const DAY_MS = 86_400_000;
/** A conversation with more than this in it (pictures, mostly) is not kept. */
const MAX_TURN_BYTES = 8 * 1024 * 1024;
/** A turn of this size has the account's space looked at. Shorter ones are text, which calls pay for. */
const LARGE_TURN_BYTES = 64 * 1024;
/** Of one account together, as Postgres stores them. */
const MAX_ACCOUNT_BYTES = 512 * 1024 * 1024;

/**
 * Keeps it for thirty days. Answers false when it is too large to keep. Where the account then keeps more than it may,
 * its oldest go: each turn holds the ones before it.
 * @param accountBytes what the account may keep
 */
export async function rememberResponse(
  db: Db,
  response: StoredResponse & { userId: number; tokenId: number },
  accountBytes = MAX_ACCOUNT_BYTES,
): Promise<boolean> {
  const { turn } = response;
  const size = turn === null ? 0 : Buffer.byteLength(JSON.stringify(turn));
  if (size > MAX_TURN_BYTES) return false;
  const row = {
    user_id: response.userId,
    token_id: response.tokenId,
    channel_id: response.channelId,
    channel_key_id: response.keyId,
    model: response.model,
    tokens: response.tokens,
    // JSON in, JSON out: the turn holds nothing else.
    ...(turn === null ? {} : { turn: turn as unknown as Prisma.InputJsonObject }),
    expires_at: new Date(currentTime().getTime() + KEEP_DAYS * DAY_MS),
  };
  await db.storedResponse.upsert({
    where: { id: response.id },
    create: { id: response.id, ...row },
    update: {},
  });
  if (size > LARGE_TURN_BYTES) await forgetOldest(db, response.userId, accountBytes);
  return true;
}

/** Those beyond the account's space, counted from the newest. Reads sizes, not the turns. */
async function forgetOldest(db: Db, userId: number, accountBytes: number): Promise<void> {
  await db.$executeRaw`
    DELETE FROM stored_responses WHERE id IN (
      SELECT id FROM (
        SELECT id, sum(pg_column_size(turn)) OVER (ORDER BY created_time DESC, id) AS bytes
        FROM stored_responses WHERE user_id = ${userId} AND kind = ${KIND} AND turn IS NOT NULL) AS kept
      WHERE bytes > ${accountBytes})`;
}

/** Null when there is none, it has lapsed, or it is someone else's. */
export async function findResponse(db: Db, id: string, userId: number): Promise<StoredResponse | null> {
  const row = await db.storedResponse.findUnique({ where: { id, user_id: userId, kind: KIND } });
  if (row === null || (row.expires_at !== null && row.expires_at <= currentTime())) return null;
  return {
    id: row.id,
    channelId: row.channel_id,
    keyId: row.channel_key_id,
    model: row.model,
    tokens: row.tokens,
    turn: row.turn as StoredTurn | null,
  };
}

export async function forgetResponse(db: Db, id: string, userId: number): Promise<void> {
  await db.storedResponse.deleteMany({ where: { id, user_id: userId, kind: KIND } });
}
