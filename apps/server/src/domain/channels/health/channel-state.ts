/**
 * Automatic status changes: a key on evidence, a channel with its last key or when none of it works. Each
 * change is recorded with its reason and announced in one transaction. A channel or key that a user disabled
 * is never enabled automatically.
 */
import { type Reason, reasonBecause } from "@gateway/shared/reasons";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";

/** Returns the reason columns of an event. */
export function eventReason({ text, facts }: Reason) {
  return { reason: text, reason_facts: facts };
}

/** Returns the reason columns of a channel or key. */
function statusReason({ text, facts }: Reason) {
  return { status_reason: text, status_facts: facts };
}

/** Adds a timeline event without a change of status: a model of this channel was paused or recovered. */
export async function recordCircuitChange(
  db: PrismaClient,
  channelId: number,
  kind: "circuit-opened" | "circuit-closed",
  model: string,
  reason: Reason,
): Promise<void> {
  await db.channelEvent.createMany({
    data: [{ channel_id: channelId, kind, ...eventReason(reason), detail: { model } }],
  });
}

export async function disableChannel(db: PrismaClient, channelId: number, reason: Reason): Promise<void> {
  await db.$transaction((tx) => switchOff(tx, channelId, reason));
}

/** Disables a key, and its channel too when no other key is enabled. */
export async function disableKey(
  db: PrismaClient,
  channelId: number,
  keyId: number,
  reason: Reason,
): Promise<void> {
  await db.$transaction(async (tx) => {
    // Lock the channel: two keys that fail at once must not each see the other as enabled.
    await lock(tx, channelId);
    const { count } = await tx.channelKey.updateMany({
      where: { id: keyId, channel_id: channelId, status: 1 },
      data: { status: 3, ...statusReason(reason), status_time: currentTime() },
    });
    if (count === 0) return;
    const keys = await tx.channelKey.count({ where: { channel_id: channelId } });
    const living = await tx.channelKey.count({ where: { channel_id: channelId, status: 1 } });
    if (living === 0) {
      const last = keys === 1 ? reason : reasonBecause("lastKey", reason, { keys });
      if (await switchOff(tx, channelId, last)) return;
    }
    const key = await tx.channelKey.findUniqueOrThrow({ where: { id: keyId } });
    await tx.channelEvent.create({
      data: {
        channel_id: channelId,
        kind: "key-auto-disabled",
        ...eventReason(reason),
        detail: { key: key.key_hint },
      },
    });
    await announce(tx, "channels", channelId);
  });
}

/**
 * Enables a key and its channel after a successful test, if they were disabled automatically. Returns whether
 * anything changed.
 * @param keyId undefined for a provider without keys
 */
export async function reviveChannel(
  db: PrismaClient,
  channelId: number,
  keyId: number | undefined,
  reason: Reason,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    await lock(tx, channelId);
    const back = { status: 1, status_reason: "", status_facts: [], status_time: currentTime() };
    const keys =
      keyId === undefined
        ? { count: 0 }
        : await tx.channelKey.updateMany({
            where: { id: keyId, channel_id: channelId, status: 3 },
            data: back,
          });
    const channels = await tx.channel.updateMany({
      where: { id: channelId, status: 3, deleted_at: null },
      data: back,
    });
    if (keys.count + channels.count === 0) return false;
    const key = keyId === undefined ? null : await tx.channelKey.findUnique({ where: { id: keyId } });
    const kind = channels.count > 0 ? "auto-enabled" : "key-auto-enabled";
    await tx.channelEvent.create({
      data: {
        channel_id: channelId,
        kind,
        ...eventReason(reason),
        ...(key === null ? {} : { detail: { key: key.key_hint } }),
      },
    });
    await announce(tx, "channels", channelId);
    return true;
  });
}

async function switchOff(tx: Prisma.TransactionClient, channelId: number, reason: Reason): Promise<boolean> {
  const { count } = await tx.channel.updateMany({
    where: { id: channelId, status: 1, deleted_at: null },
    data: { status: 3, ...statusReason(reason), status_time: currentTime() },
  });
  if (count === 0) return false;
  await tx.channelEvent.create({
    data: { channel_id: channelId, kind: "auto-disabled", ...eventReason(reason) },
  });
  await announce(tx, "channels", channelId);
  return true;
}

async function lock(tx: Prisma.TransactionClient, channelId: number): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM channels WHERE id = ${channelId} FOR UPDATE`;
}
