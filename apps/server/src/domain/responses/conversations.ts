import { randomBytes } from "node:crypto";
import { conflict, type GatewayError, invalidRequest, notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import { Prisma, type PrismaClient } from "#platform/prisma/client.ts";

/**
 * Conversations stored by the gateway, independent of the provider. Items are kept in order, and only the
 * account that created a conversation can read it. The module does not interpret items.
 */
export type Item = Record<string, unknown> & { id: string };

export interface Conversation {
  id: string;
  createdAt: Date;
  metadata: Record<string, string>;
  items: Item[];
  /** Channel that responded last, for content that only this provider can read. 0 if there is none. */
  channelId: number;
  keyId: number | null;
  model: string;
}

const KEEP_DAYS = 30;
const DAY_MS = 86_400_000;
/** Large conversations mostly contain images. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Limits for all conversations of one account, as stored by Postgres. */
const MAX_CONVERSATIONS = 1_000;
const MAX_ACCOUNT_BYTES = 100 * 1024 * 1024;
const KIND = "conversation";

interface ConversationContent {
  items: Item[];
  metadata: Record<string, string>;
}

/** Returns the expiry: thirty days after the last new item. */
const expiry = () => new Date(currentTime().getTime() + KEEP_DAYS * DAY_MS);

export async function openConversation(
  db: PrismaClient,
  owner: { userId: number; tokenId: number },
  kept: ConversationContent,
): Promise<Conversation> {
  requireSpace(JSON.stringify(kept));
  return db.$transaction(async (tx) => {
    await requireAccountSpace(tx, owner.userId, 1);
    const row = await tx.storedResponse.create({
      data: {
        id: `conv_${randomBytes(24).toString("hex")}`,
        user_id: owner.userId,
        token_id: owner.tokenId,
        channel_id: 0,
        kind: KIND,
        model: "",
        // The value is plain JSON.
        turn: kept as unknown as Prisma.InputJsonObject,
        expires_at: expiry(),
      },
    });
    return read(row);
  });
}

/**
 * Returns a conversation. Throws `not_found` if it does not exist, has expired, or belongs to another
 * account.
 */
export async function findConversation(db: Db, id: string, userId: number): Promise<Conversation> {
  const row = await db.storedResponse.findUnique({ where: { id, user_id: userId, kind: KIND } });
  if (row === null || (row.expires_at !== null && row.expires_at <= currentTime()))
    throw notFound({ reason: "conversation_not_found", id }, { param: "conversation" });
  return read(row);
}

interface Row {
  id: string;
  created_time: Date;
  channel_id: number;
  channel_key_id: number | null;
  model: string;
  turn: unknown;
}

function read(row: Row): Conversation {
  const { items, metadata } = row.turn as ConversationContent;
  return {
    id: row.id,
    createdAt: row.created_time,
    metadata,
    items,
    channelId: row.channel_id,
    keyId: row.channel_key_id,
    model: row.model,
  };
}

/**
 * Appends items in one statement, so that concurrent appends both stay. Throws if the conversation is full.
 */
export async function addItems(
  db: PrismaClient,
  id: string,
  userId: number,
  items: readonly Item[],
  by?: { channelId: number; keyId: number | null; model: string },
): Promise<void> {
  const json = JSON.stringify(items);
  const spoken =
    by === undefined
      ? Prisma.empty
      : Prisma.sql`, channel_id = ${by.channelId}, channel_key_id = ${by.keyId}, model = ${by.model}`;
  const changed = await db.$transaction(async (tx) => {
    await requireAccountSpace(tx, userId, 0);
    return tx.$executeRaw`
      UPDATE stored_responses
      SET turn = jsonb_set(turn, '{items}', (turn -> 'items') || ${json}::jsonb), expires_at = ${expiry()} ${spoken}
      WHERE id = ${id} AND user_id = ${userId} AND kind = ${KIND}
        AND octet_length(turn::text) + ${Buffer.byteLength(json)} <= ${MAX_BYTES}`;
  });
  if (changed === 0) {
    await findConversation(db, id, userId);
    throw full();
  }
}

export async function removeItem(db: Db, id: string, userId: number, itemId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE stored_responses
    SET turn = jsonb_set(turn, '{items}', COALESCE((
      SELECT jsonb_agg(item ORDER BY place)
      FROM jsonb_array_elements(turn -> 'items') WITH ORDINALITY AS said(item, place)
      WHERE item ->> 'id' <> ${itemId}), '[]'::jsonb))
    WHERE id = ${id} AND user_id = ${userId} AND kind = ${KIND}`;
}

export async function setMetadata(
  db: Db,
  id: string,
  userId: number,
  metadata: Record<string, string>,
): Promise<void> {
  const json = JSON.stringify(metadata);
  await db.$executeRaw`
    UPDATE stored_responses SET turn = jsonb_set(turn, '{metadata}', ${json}::jsonb)
    WHERE id = ${id} AND user_id = ${userId} AND kind = ${KIND}`;
}

export async function closeConversation(db: Db, id: string, userId: number): Promise<void> {
  await db.storedResponse.deleteMany({ where: { id, user_id: userId, kind: KIND } });
}

/**
 * Throws `conflict` if the account has reached its limits. Concurrent transactions of the account wait here
 * for each other, so that together they stay within the limits.
 */
async function requireAccountSpace(
  tx: Prisma.TransactionClient,
  userId: number,
  more: number,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.storeConversation}::int, ${userId}::int)`;
  const [kept] = await tx.$queryRaw<{ count: bigint; bytes: bigint | null }[]>`
    SELECT count(*) AS count, sum(pg_column_size(turn)) AS bytes
    FROM stored_responses WHERE user_id = ${userId} AND kind = ${KIND}`;
  if (Number(kept?.count ?? 0) + more > MAX_CONVERSATIONS)
    throw conflict({ reason: "too_many_conversations", most: MAX_CONVERSATIONS });
  if (Number(kept?.bytes ?? 0) > MAX_ACCOUNT_BYTES)
    throw conflict({ reason: "conversations_too_large", megabytes: MAX_ACCOUNT_BYTES / 1024 / 1024 });
}

function requireSpace(json: string): void {
  if (Buffer.byteLength(json) > MAX_BYTES) throw full();
}

function full(): GatewayError {
  return invalidRequest(
    { reason: "conversation_full", megabytes: MAX_BYTES / 1024 / 1024 },
    { param: "conversation" },
  );
}
