/**
 * Cached contents of Gemini: where a provider keeps one, and for which key of ours. Only that key can see and use it. What
 * is cached is not stored here.
 */
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, StoredResponse } from "#platform/prisma/client.ts";

const KIND = "cached_content";
/** Cached contents of one key that have not expired. */
const MOST = 100;

/** What clients see of a cached content. */
export interface CachedContentView {
  readonly name: string;
  readonly displayName?: string;
  readonly model: string;
  readonly createTime: string;
  readonly updateTime: string;
  readonly expireTime: string;
  readonly usageMetadata: { readonly totalTokenCount: number };
}

export interface CachedContent {
  readonly view: CachedContentView;
  readonly channelId: number;
  readonly keyId: number | null;
  /** Name of the model in requests. */
  readonly model: string;
  readonly tokens: number;
  readonly expiresAt: Date;
}

interface Owner {
  readonly userId: number;
  readonly tokenId: number;
}

const ofOwner = ({ userId, tokenId }: Owner) => ({
  user_id: userId,
  token_id: tokenId,
  kind: KIND,
  expires_at: { gt: currentTime() },
});

/** Throws `rate_limit_exceeded` for a key with too many cached contents. */
export async function requireSpareContents(db: Db, owner: Owner): Promise<void> {
  if ((await db.storedResponse.count({ where: ofOwner(owner) })) < MOST) return;
  throw new GatewayError("rate_limit_exceeded", { reason: "too_many_cached_contents", most: MOST });
}

export async function storeCachedContent(db: Db, owner: Owner, content: CachedContent): Promise<void> {
  const { view, channelId, keyId, model, tokens, expiresAt } = content;
  const row = { turn: { ...view } as unknown as Prisma.InputJsonObject, expires_at: expiresAt };
  const { count } = await db.storedResponse.updateMany({
    where: { id: view.name, ...ofOwner(owner) },
    data: row,
  });
  if (count > 0) return;
  await db.storedResponse.create({
    data: {
      id: view.name,
      user_id: owner.userId,
      token_id: owner.tokenId,
      kind: KIND,
      channel_id: channelId,
      channel_key_id: keyId,
      model,
      tokens,
      ...row,
    },
  });
}

/** Returns a cached content of this key; null if it does not exist, has expired or belongs to another key. */
export async function findCachedContent(db: Db, name: string, owner: Owner): Promise<CachedContent | null> {
  const row = await db.storedResponse.findFirst({ where: { id: name, ...ofOwner(owner) } });
  return row === null ? null : contentOf(row);
}

interface PageQuery {
  readonly size: number;
  /** Name of the last one of the page before. */
  readonly after: string | undefined;
}

/** Returns cached contents of a key, newest first. */
export async function listCachedContents(
  db: Db,
  owner: Owner,
  { size, after }: PageQuery,
): Promise<CachedContentView[]> {
  const rows = await db.storedResponse.findMany({
    where: ofOwner(owner),
    orderBy: [{ created_time: "desc" }, { id: "asc" }],
    ...(after === undefined ? {} : { cursor: { id: after }, skip: 1 }),
    take: size,
  });
  return rows.map((row) => contentOf(row).view);
}

export async function forgetCachedContent(db: Db, name: string, { userId, tokenId }: Owner): Promise<void> {
  await db.storedResponse.deleteMany({ where: { id: name, user_id: userId, token_id: tokenId, kind: KIND } });
}

function contentOf(row: StoredResponse): CachedContent {
  return {
    view: row.turn as unknown as CachedContentView,
    channelId: row.channel_id,
    keyId: row.channel_key_id,
    model: row.model,
    tokens: row.tokens,
    expiresAt: row.expires_at ?? currentTime(),
  };
}
