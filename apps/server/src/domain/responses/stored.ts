import type { Message, ServerTool, Tool } from "#dialects/ir.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma } from "#platform/prisma/client.ts";

/**
 * Responses that a later call may refer to: the channel and key that created one and, if the provider stores
 * nothing, the conversation up to it. Only its owner can read it. The module does not know the wire format of
 * conversations.
 */
export interface StoredTurn {
  /** All messages up to and including the response. */
  messages: Message[];
  /** The response as the client received it. */
  response: Record<string, unknown>;
  /** Number of messages before the response that are this turn's own input. */
  input?: number;
  /** Tools of the conversation, for an API whose later calls do not repeat them. */
  tools?: Tool[];
  serverTools?: ServerTool[];
}

/** APIs whose later calls may refer to a response. An id of one is unknown to the others. */
export type StoredKind = "response" | "interaction" | "thread";

export interface StoredResponse {
  id: string;
  channelId: number;
  keyId: number | null;
  model: string;
  /** Length of the conversation up to and including the response; 0 if unknown. */
  tokens: number;
  /** Null if the provider stores the conversation. */
  turn: StoredTurn | null;
}

const KIND: StoredKind = "response";
/** Kinds that share the limits of an account. */
const KINDS: StoredKind[] = ["response", "interaction", "thread"];
const KEEP_DAYS = 30;
const DAY_MS = 86_400_000;
/** Maximum size of a stored conversation. Larger ones mostly contain images. */
const MAX_TURN_BYTES = 8 * 1024 * 1024;
/** Size of a turn from which the account's total is checked at once. For smaller ones, `forgetBeyondLimits` does it. */
const LARGE_TURN_BYTES = 64 * 1024;
/** Limit for all responses of one account, as stored by Postgres. */
const MAX_ACCOUNT_BYTES = 512 * 1024 * 1024;

/**
 * Stores a response for thirty days. Returns false if it is too large. If the account exceeds its limit, its
 * oldest responses are deleted: each turn contains the earlier ones.
 * @param accountBytes limit of the account
 */
export async function rememberResponse(
  db: Db,
  response: StoredResponse & { userId: number; tokenId: number; kind?: StoredKind },
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
    kind: response.kind ?? KIND,
    model: response.model,
    tokens: response.tokens,
    // The turn is plain JSON.
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

/** Deletes the responses beyond the account's limit, oldest first. Reads sizes, not the turns. */
async function forgetOldest(db: Db, userId: number, accountBytes: number): Promise<void> {
  await db.$executeRaw`
    DELETE FROM stored_responses WHERE id IN (
      SELECT id FROM (
        SELECT id, sum(pg_column_size(turn)) OVER (ORDER BY created_time DESC, id) AS bytes
        FROM stored_responses WHERE user_id = ${userId} AND kind = ANY(${KINDS}) AND turn IS NOT NULL) AS kept
      WHERE bytes > ${accountBytes})`;
}

/**
 * Deletes what accounts have stored beyond their limit, oldest first: calls of a free model would otherwise store any
 * number of small responses.
 * @param accountBytes limit of each account
 */
export async function forgetBeyondLimits(db: Db, accountBytes = MAX_ACCOUNT_BYTES): Promise<void> {
  const full = await db.$queryRaw<{ user_id: number }[]>`
    SELECT user_id FROM stored_responses WHERE kind = ANY(${KINDS}) AND turn IS NOT NULL
    GROUP BY user_id HAVING sum(pg_column_size(turn)) > ${accountBytes}`;
  for (const { user_id } of full) await forgetOldest(db, user_id, accountBytes);
}

/** Returns a response, or null if it does not exist, has expired, or belongs to another account. */
export async function findResponse(
  db: Db,
  id: string,
  userId: number,
  kind = KIND,
): Promise<StoredResponse | null> {
  const row = await db.storedResponse.findUnique({ where: { id, user_id: userId, kind } });
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

/**
 * Returns the output items of these responses, without the conversations before them. Responses that do not
 * exist, have expired or belong to another account are left out.
 */
export async function findOutputs(db: Db, ids: readonly string[], userId: number): Promise<unknown[][]> {
  const rows = await db.$queryRaw<Array<{ output: unknown }>>`
    SELECT turn -> 'response' -> 'output' AS output FROM stored_responses
    WHERE id = ANY(${[...ids]}) AND user_id = ${userId} AND kind = ${KIND}
      AND (expires_at IS NULL OR expires_at > ${currentTime()})`;
  return rows.flatMap(({ output }) => (Array.isArray(output) ? [output as unknown[]] : []));
}

export async function forgetResponse(db: Db, id: string, userId: number, kind = KIND): Promise<void> {
  await db.storedResponse.deleteMany({ where: { id, user_id: userId, kind } });
}
