/** Channel management for operators. Keys are never returned. Every change is announced and audited. */
import type { ChannelChange, ChannelInput, ChannelPatch } from "@gateway/shared/channels/channel";
import { ChannelStatus } from "@gateway/shared/channels/channel";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import { checkChannel } from "./channel-check.ts";
import {
  differingFields,
  listMovedFields,
  requireCredentials,
  requireRootForDestination,
  requireRootForReferences,
} from "./channel-destination.ts";
import { storeKeys } from "./channel-keys.ts";
import {
  channelParts,
  type ChannelWithParts,
  keyLabel,
  toChannelInput,
  toFullChannelInput,
} from "./channel-row.ts";
import { fillMasks, sealPrivate } from "./channel-secrets.ts";
import { keysOf } from "./keys.ts";

export interface ChannelDeps extends ChannelEditDeps {
  db: PrismaClient;
}

/** Edits can be part of a transaction. */
export interface ChannelEditDeps {
  db: Db;
  secrets: Secrets;
  providers: Providers;
}

/**
 * Creates a channel. Throws `invalid_request` with an issue per field; nothing is stored in that case.
 * @param begin `keyLater`: the channel may lack the key that its provider requires
 */
export async function createChannel(
  deps: ChannelEditDeps,
  actor: Actor,
  input: ChannelInput,
  begin: { status?: 1 | 2; keyLater?: boolean } = {},
): Promise<ChannelWithParts> {
  const { status = ChannelStatus.enabled, keyLater = false } = begin;
  const keys = keysOf(input.key);
  fillMasks(input, undefined);
  requireRootForReferences(actor, keys);
  return inTransaction(deps.db, async (tx) => {
    await checkChannel(tx, deps.providers, input, keyLater ? "later" : []);
    // The ciphertext is bound to the id, so the id is needed before the row exists.
    const [{ id } = { id: 0 }] = await tx.$queryRaw<{ id: number }[]>`
      SELECT nextval(pg_get_serial_sequence('channels', 'id'))::int AS id`;
    await tx.channel.create({ data: { id, ...columnsOf(deps.secrets, id, input), status } });
    await replaceParts(tx, id, input);
    await storeKeys(tx, deps.secrets, id, keys, "replace");
    const after = await getChannel(tx, id);
    await leaveTrace(tx, actor, "create", undefined, after);
    return after;
  });
}

/**
 * Edits a channel. Throws `invalid_request` if stored credentials would be sent to another address.
 * @param edit receives the current channel, without its key and with masked secrets, and returns the new one;
 *   an empty key keeps the stored keys
 */
export async function editChannel(
  deps: ChannelEditDeps,
  actor: Actor,
  id: number,
  edit: (now: ChannelInput) => ChannelInput,
): Promise<ChannelWithParts> {
  return inTransaction(deps.db, async (tx) => {
    await lockChannel(tx, id);
    const before = await getChannel(tx, id);
    const input = withStoredSecrets(deps, actor, before, edit({ ...toChannelInput(before), key: "" }));
    const keys = keysOf(input.key);
    const kept = keys.length > 0 && input.key_mode !== "append" ? [] : before.keys;
    await checkChannel(tx, deps.providers, input, kept);
    await tx.channel.update({ where: { id }, data: columnsOf(deps.secrets, id, input) });
    await replaceParts(tx, id, input);
    if (keys.length > 0) await storeKeys(tx, deps.secrets, id, keys, input.key_mode ?? "replace");
    const after = await getChannel(tx, id);
    const open = (row: ChannelWithParts) => toFullChannelInput(deps.secrets, row);
    await leaveTrace(tx, actor, "change", before, after, open);
    return after;
  });
}

/**
 * Returns an input for a stored channel with the stored secrets in place of their masks. Throws
 * `invalid_request` if credentials that are not entered again would be sent to another destination.
 */
export function withStoredSecrets<T extends ChannelInput>(
  deps: Pick<ChannelDeps, "secrets" | "providers">,
  actor: Actor,
  stored: ChannelWithParts,
  wanted: T,
): T {
  const before = toFullChannelInput(deps.secrets, stored);
  const { input, kept } = fillMasks(wanted, before);
  requireRootForReferences(actor, keysOf(input.key));
  const keepsKeys = stored.keys.length > 0 && (input.key.trim() === "" || input.key_mode === "append");
  if (keepsKeys && stored.keys.some(({ reference }) => reference !== null))
    requireRootForDestination(actor, differingFields(before, input));
  requireCredentials(
    actor,
    listMovedFields(deps.providers, before, input),
    keepsKeys ? ["key", ...kept] : kept,
  );
  return input;
}

/**
 * Changes the fields that a body contains, the status included. Throws the errors of `editChannel`.
 */
export async function changeChannel(
  deps: ChannelEditDeps,
  actor: Actor,
  id: number,
  { status, ...fields }: ChannelChange,
): Promise<ChannelWithParts> {
  return inTransaction(deps.db, async (tx) => {
    const edit = () => editChannel({ ...deps, db: tx }, actor, id, (now) => ({ ...now, ...fields }));
    if (status === undefined) return edit();
    if (Object.keys(fields).length > 0) await edit();
    return patchChannel(tx, actor, id, { status });
  });
}

/** Changes only the status, priority or weight. */
export async function patchChannel(
  db: Db,
  actor: Actor,
  id: number,
  patch: Omit<ChannelPatch, "status"> & { status?: 1 | 2 | 3 | undefined },
): Promise<ChannelWithParts> {
  return inTransaction(db, async (tx) => {
    await lockChannel(tx, id);
    const before = await getChannel(tx, id);
    const switched = patch.status !== undefined && patch.status !== before.status;
    await tx.channel.update({
      where: { id },
      data: {
        ...patch,
        ...(switched ? { status_reason: "", status_facts: [], status_time: currentTime() } : {}),
      },
    });
    // A channel that is enabled also gets back the keys that were disabled automatically.
    if (switched && patch.status === ChannelStatus.enabled)
      await tx.channelKey.updateMany({
        where: { channel_id: id, status: 3 },
        data: { status: 1, status_reason: "", status_facts: [], status_time: currentTime() },
      });
    const after = await getChannel(tx, id);
    const word = switched ? (patch.status === ChannelStatus.enabled ? "enable" : "disable") : "change";
    await leaveTrace(tx, actor, word, before, after);
    return after;
  });
}

/** Marks a channel as deleted and deletes its keys. The row stays, because logs refer to it. */
export async function deleteChannel(db: Db, actor: Actor, id: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockChannel(tx, id);
    const before = await getChannel(tx, id);
    await tx.channelKey.deleteMany({ where: { channel_id: id } });
    await tx.channel.update({ where: { id }, data: { deleted_at: currentTime() } });
    await leaveTrace(tx, actor, "delete", before, undefined);
  });
}

/** Locks the channel: concurrent saves of one channel must not mix their models. */
async function lockChannel(tx: Prisma.TransactionClient, id: number): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM channels WHERE id = ${id} FOR UPDATE`;
}

/** Throws `not_found`. */
export async function getChannel(db: Db, id: number): Promise<ChannelWithParts> {
  const row = await db.channel.findFirst({ where: { id, deleted_at: null } });
  if (row === null) throw notFound({ reason: "channel_not_found" });
  // Sequential queries: in a transaction, `include` sends them at once on one connection, which pg
  // deprecates.
  const parts = { where: { channel_id: id } };
  const keys = await db.channelKey.findMany({ ...parts, ...channelParts.keys });
  const models = await db.channelModel.findMany({ ...parts, ...channelParts.models });
  const groups = await db.channelGroup.findMany({ ...parts, ...channelParts.groups });
  return { ...row, keys, models, groups };
}

function columnsOf(secrets: Secrets, id: number, input: ChannelInput) {
  const { key: _key, key_mode: _mode, models: _models, groups: _groups, ...columns } = input;
  return { ...columns, ...sealPrivate(secrets, id, input) };
}

async function replaceParts(tx: Prisma.TransactionClient, id: number, input: ChannelInput): Promise<void> {
  await tx.channelModel.deleteMany({ where: { channel_id: id } });
  await tx.channelModel.createMany({
    data: [...new Set(input.models)].map((model, position) => ({ channel_id: id, model, position })),
  });
  await tx.channelGroup.deleteMany({ where: { channel_id: id } });
  await tx.channelGroup.createMany({
    data: [...new Set(input.groups)].map((group) => ({ channel_id: id, group })),
  });
}

/** Writes the timeline event, the audit entry and the announcement in the transaction of the change. */
async function leaveTrace(
  tx: Prisma.TransactionClient,
  actor: Actor,
  word: "create" | "change" | "enable" | "disable" | "delete",
  before: ChannelWithParts | undefined,
  after: ChannelWithParts | undefined,
  open: typeof toChannelInput = toChannelInput,
): Promise<void> {
  const id = (after ?? before)?.id ?? 0;
  const kind = {
    create: "created",
    change: "changed",
    enable: "enabled",
    disable: "disabled",
    delete: "deleted",
  };
  const fields = word === "change" && before && after ? changedFields(before, after, open) : [];
  await tx.channelEvent.create({
    data: { channel_id: id, kind: kind[word], user_id: actor.id, detail: { fields } },
  });
  await writeAudit(tx, {
    actor,
    action: `channel.${word}`,
    targetType: "channel",
    targetId: id,
    before: before && picture(before),
    after: after && picture(after),
  });
  await announce(tx, "channels", id);
}

/** @param open returns the values to compare; with masks, a changed secret would not be detected */
function changedFields(
  before: ChannelWithParts,
  after: ChannelWithParts,
  open: typeof toChannelInput,
): string[] {
  const was = new Map(Object.entries(open(before)).map(([name, value]) => [name, JSON.stringify(value)]));
  const fields = Object.entries(open(after))
    .filter(([name, value]) => was.get(name) !== JSON.stringify(value))
    .map(([name]) => name);
  const keysOfRow = (row: ChannelWithParts) => row.keys.map((key) => key.id).join(" ");
  return keysOfRow(before) === keysOfRow(after) ? fields : [...fields, "key"];
}

function picture(row: ChannelWithParts): object {
  return { ...toChannelInput(row), status: row.status, key_hints: row.keys.map(keyLabel) };
}
