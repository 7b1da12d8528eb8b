/** The keys of a channel. Stored keys are never returned: only a hint of each is shown. */
import type { ChannelKeyPatch, ChannelKeyRow } from "@gateway/shared/channels/channel";
import { referenceSource } from "@gateway/shared/channels/key-reference";
import { reasonOf, storedFacts } from "@gateway/shared/reasons";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { hintOf, type Secrets } from "#platform/secrets.ts";
import { keyLabel } from "./channel-row.ts";
import { eventReason } from "./health/channel-state.ts";
import type { Frozen } from "./health/health-state.ts";
import type { KeyReferences } from "./key-references/key-references.ts";
import { channelKeyContext } from "./selection/load-channels.ts";

type StoredKey = Prisma.ChannelKeyGetPayload<object>;

/**
 * Stores keys. A key that stays keeps its row, because stored responses refer to it. A disabled key that is
 * given again is enabled.
 * @param mode `replace` deletes every key that is not given
 */
export async function storeKeys(
  tx: Prisma.TransactionClient,
  secrets: Secrets,
  channelId: number,
  keys: readonly string[],
  mode: "replace" | "append",
): Promise<void> {
  const given = keys.map((key) => ({ key, hash: secrets.hash(key) }));
  const stored = await tx.channelKey.findMany({
    where: { channel_id: channelId },
    orderBy: { position: "asc" },
  });
  const hex = (hash: Uint8Array) => Buffer.from(hash).toString("hex");
  const known = new Map(stored.map((row) => [hex(row.key_hash), row.id]));
  const kept = given.flatMap(({ hash }) => known.get(hex(hash)) ?? []);
  if (mode === "replace")
    await tx.channelKey.deleteMany({ where: { channel_id: channelId, id: { notIn: kept } } });
  await tx.channelKey.updateMany({
    where: { id: { in: kept }, status: { not: 1 } },
    data: { status: 1, status_reason: "", status_facts: [], status_time: null },
  });
  const first = mode === "replace" ? 0 : (stored.at(-1)?.position ?? -1) + 1;
  if (mode === "replace")
    for (const [position, { hash }] of given.entries()) {
      const id = known.get(hex(hash));
      if (id !== undefined) await tx.channelKey.update({ where: { id }, data: { position } });
    }
  await tx.channelKey.createMany({
    data: given.flatMap(({ key, hash }, place) =>
      known.has(hex(hash))
        ? []
        : {
            channel_id: channelId,
            key_hash: hash,
            key_encrypted: secrets.encrypt(key, channelKeyContext(channelId)),
            key_hint: hintOf(key),
            reference: referenceSource(key) === undefined ? null : key,
            position: first + place,
          },
    ),
  });
}

export async function listKeys(
  db: Db,
  channelId: number,
  { freezes, faultOf }: { freezes: readonly Frozen[]; faultOf: KeyReferences["faultOf"] },
): Promise<ChannelKeyRow[]> {
  const keys = await db.channelKey.findMany({
    where: { channel_id: channelId, channel: { deleted_at: null } },
    orderBy: { position: "asc" },
  });
  return keys.map((key) => ({
    id: key.id,
    hint: keyLabel(key),
    is_reference: key.reference !== null,
    fault: (key.reference === null ? undefined : faultOf(key.reference)) ?? "",
    weight: key.weight,
    status: key.status,
    status_reason: key.status_reason,
    status_facts: storedFacts(key.status_facts),
    status_time: key.status_time === null ? null : unixTime(key.status_time),
    frozen: freezes
      .filter((freeze) => freeze.keyId === key.id)
      .map(({ model, until, reason }) => ({ model, until: Math.ceil(until / 1000), reason })),
  }));
}

/**
 * Changes the weight or the status of a key. Throws if it would disable the last enabled key: an operator
 * must disable the channel instead.
 */
export async function patchKey(
  db: PrismaClient,
  actor: Actor,
  channelId: number,
  keyId: number,
  patch: ChannelKeyPatch,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { key, others } = await lockKey(tx, channelId, keyId);
    const switched = patch.status !== undefined && patch.status !== key.status;
    if (switched && patch.status === 2 && key.status === 1 && others === 0)
      throw conflict({ reason: "last_key" });
    await tx.channelKey.update({
      where: { id: keyId },
      data: {
        ...patch,
        ...(switched ? { status_reason: "", status_facts: [], status_time: currentTime() } : {}),
      },
    });
    // The channel was disabled automatically with its last key, so its first enabled key enables it again.
    const revived = switched && patch.status === 1 && others === 0 && (await switchOn(tx, channelId));
    const kind = switched ? (patch.status === 1 ? "key-enabled" : "key-disabled") : "key-changed";
    await leaveTrace(tx, actor, kind, key, { ...key, ...patch });
    if (revived)
      await tx.channelEvent.create({
        data: {
          channel_id: channelId,
          kind: "enabled",
          user_id: actor.id,
          ...eventReason(reasonOf("hasKeyAgain")),
        },
      });
  });
}

export async function removeKey(
  db: PrismaClient,
  actor: Actor,
  channelId: number,
  keyId: number,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { key, others } = await lockKey(tx, channelId, keyId);
    if (key.status === 1 && others === 0) throw conflict({ reason: "last_key" });
    await tx.channelKey.delete({ where: { id: keyId } });
    await leaveTrace(tx, actor, "key-removed", key, undefined);
  });
}

/** Returns the key and the number of other enabled keys of its channel. Throws `not_found`. */
async function lockKey(
  tx: Prisma.TransactionClient,
  channelId: number,
  keyId: number,
): Promise<{ key: StoredKey; others: number }> {
  await tx.$queryRaw`SELECT 1 FROM channels WHERE id = ${channelId} FOR UPDATE`;
  const key = await tx.channelKey.findFirst({
    where: { id: keyId, channel_id: channelId, channel: { deleted_at: null } },
  });
  if (key === null) throw notFound({ reason: "key_not_found" });
  const others = await tx.channelKey.count({
    where: { channel_id: channelId, status: 1, id: { not: keyId } },
  });
  return { key, others };
}

async function switchOn(tx: Prisma.TransactionClient, channelId: number): Promise<boolean> {
  const { count } = await tx.channel.updateMany({
    where: { id: channelId, status: 3 },
    data: { status: 1, status_reason: "", status_facts: [], status_time: currentTime() },
  });
  return count > 0;
}

async function leaveTrace(
  tx: Prisma.TransactionClient,
  actor: Actor,
  kind: "key-enabled" | "key-disabled" | "key-changed" | "key-removed",
  before: StoredKey,
  after: StoredKey | undefined,
): Promise<void> {
  const id = before.channel_id;
  await tx.channelEvent.create({
    data: { channel_id: id, kind, user_id: actor.id, detail: { key: keyLabel(before) } },
  });
  await writeAudit(tx, {
    actor,
    action: `channel.${kind}`,
    targetType: "channel",
    targetId: id,
    before: picture(before),
    after: after && picture(after),
  });
  await announce(tx, "channels", id);
}

function picture(key: StoredKey): object {
  return { key: keyLabel(key), status: key.status, weight: key.weight };
}
