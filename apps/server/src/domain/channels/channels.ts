/** Channel management for operators. Keys are never returned. Every change is announced and audited. */
import type { ChannelChange, ChannelInput, ChannelPatch } from "@gateway/shared/channels/channel";
import { ChannelStatus } from "@gateway/shared/channels/channel";
import { referenceSource } from "@gateway/shared/channels/key-reference";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { collectChannelCharges } from "#domain/ledger/bookings/collect-channel-charges.ts";
import { conflict, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { contains } from "#platform/database/text-search.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import { checkChannel } from "./channel-check.ts";
import {
  differingFields,
  movedFields,
  requireCredentials,
  requireRootForDestination,
  requireRootForReferences,
} from "./channel-destination.ts";
import { storeKeys } from "./channel-keys.ts";
import {
  channelParts,
  type ChannelForTest,
  type ChannelWithParts,
  keyLabel,
  typedIn,
  typedInFull,
} from "./channel-row.ts";
import { fillMasks, sealPrivate } from "./channel-secrets.ts";
import type { KeyReferences } from "./key-references/key-references.ts";
import { keysOf } from "./keys.ts";
import { modelNamesWith } from "./model-names.ts";
import { testModelOf } from "./selection/active-channel.ts";
import { channelKeyContext } from "./selection/load-channels.ts";

export interface ChannelDeps extends ChannelEditDeps {
  db: PrismaClient;
}

/** Edits can be part of a transaction. */
interface ChannelEditDeps {
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
    const input = withStoredSecrets(deps, actor, before, edit({ ...typedIn(before), key: "" }));
    const keys = keysOf(input.key);
    const kept = keys.length > 0 && input.key_mode !== "append" ? [] : before.keys;
    await checkChannel(tx, deps.providers, input, kept);
    await tx.channel.update({ where: { id }, data: columnsOf(deps.secrets, id, input) });
    await replaceParts(tx, id, input);
    if (keys.length > 0) await storeKeys(tx, deps.secrets, id, keys, input.key_mode ?? "replace");
    const after = await getChannel(tx, id);
    const open = (row: ChannelWithParts) => typedInFull(deps.secrets, row);
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
  const before = typedInFull(deps.secrets, stored);
  const { input, kept } = fillMasks(wanted, before);
  requireRootForReferences(actor, keysOf(input.key));
  const keepsKeys = stored.keys.length > 0 && (input.key.trim() === "" || input.key_mode === "append");
  if (keepsKeys && stored.keys.some(({ reference }) => reference !== null))
    requireRootForDestination(actor, differingFields(before, input));
  requireCredentials(actor, movedFields(deps.providers, before, input), keepsKeys ? ["key", ...kept] : kept);
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

interface ChannelFilter {
  /** Part of the name or tag, or the id. */
  keyword: string;
  /** 0 means any. */
  type: number;
  /** 0 means any. */
  status: number;
  /** "" means any; the same holds for the fields below. */
  group: string;
  /** Part of a model name. */
  model: string;
  tag: string;
  /** 1: channels without a tag; 2: channels with a tag; 3: the newest channel of each tag; otherwise all. */
  filter_tag: number;
  /** Prefixes. */
  test_model: string;
  other: string;
  /** A complete key. */
  key: string;
}

export interface ChannelSearch extends ChannelFilter {
  skip: number;
  take: number;
  orderBy: Prisma.ChannelOrderByWithRelationInput[];
}

export async function listChannels(
  { db, secrets }: Pick<ChannelDeps, "db" | "secrets">,
  search: ChannelSearch,
): Promise<{ rows: ChannelWithParts[]; total: number }> {
  await collectChannelCharges(db);
  const where = await channelsFitting({ db, secrets }, search);
  const { skip, take, orderBy } = search;
  const [rows, total] = await Promise.all([
    db.channel.findMany({ where, skip, take, orderBy, include: channelParts }),
    db.channel.count({ where }),
  ]);
  return { rows, total };
}

/** Maximum number of channels in one selection. */
const MOST_CHANNELS = 20_000;

/** Returns the ids of all matching channels, for changes that are previewed and applied in portions. */
export async function channelIds(
  deps: Pick<ChannelDeps, "db" | "secrets">,
  filter: ChannelFilter,
): Promise<number[]> {
  const where = await channelsFitting(deps, filter);
  const rows = await deps.db.channel.findMany({
    where,
    select: { id: true },
    orderBy: { id: "asc" },
    take: MOST_CHANNELS,
  });
  return rows.map(({ id }) => id);
}

async function channelsFitting(
  { db, secrets }: Pick<ChannelDeps, "db" | "secrets">,
  search: ChannelFilter,
): Promise<Prisma.ChannelWhereInput> {
  const where: Prisma.ChannelWhereInput = { deleted_at: null };
  if (search.keyword !== "") {
    where.OR = [{ name: contains(search.keyword) }, { tag: contains(search.keyword) }];
    const id = Number(search.keyword);
    if (Number.isInteger(id) && id > 0 && id < 2 ** 31) where.OR.push({ id });
  }
  if (search.type !== 0) where.type = fits(search.type) ? search.type : -1;
  if (search.status !== 0) where.status = search.status >= 1 && search.status <= 3 ? search.status : -1;
  if (search.group !== "") where.groups = { some: { group: search.group } };
  if (search.model !== "") {
    const names = await modelNamesWith(db, search.model);
    const model = names === undefined ? contains(search.model) : { in: names };
    where.models = { some: { model } };
  }
  if (search.tag !== "") where.tag = search.tag;
  else if (search.filter_tag === 1) where.tag = "";
  else if (search.filter_tag === 2) where.tag = { not: "" };
  if (search.filter_tag === 3) where.id = { in: await newestOfTags(db) };
  if (search.test_model !== "") where.test_model = { startsWith: search.test_model };
  if (search.other !== "") where.other = { startsWith: search.other };
  if (search.key.trim() !== "") where.keys = { some: { key_hash: secrets.hash(search.key.trim()) } };
  return where;
}

async function newestOfTags(db: Db): Promise<number[]> {
  const tags = await db.channel.groupBy({
    by: ["tag"],
    where: { deleted_at: null, tag: { not: "" } },
    _max: { id: true },
  });
  return tags.flatMap(({ _max }) => _max.id ?? []);
}

function fits(value: number): boolean {
  return Math.abs(value) < 2 ** 31;
}

/** Returns the key that a test of this channel uses: the first enabled one, else the first. */
export function firstKey(row: ChannelWithParts): ChannelWithParts["keys"][number] | undefined {
  return row.keys.find((each) => each.status === 1) ?? row.keys[0];
}

/** The key of a call that an administrator requests. */
export type KeyForTest = Pick<ChannelForTest, "key" | "referenced">;

export interface KeyDeps extends Pick<ChannelEditDeps, "secrets" | "providers"> {
  keyReferences: KeyReferences;
}

/** Returns the key of `firstKey`; "" when the channel has none. Throws `conflict` if it is unreadable. */
export function openFirstKey(deps: KeyDeps, row: ChannelWithParts): KeyForTest {
  const stored = firstKey(row);
  if (stored === undefined) return { key: "" };
  let key: string;
  try {
    key = deps.secrets.decrypt(stored.key_encrypted, channelKeyContext(row.id));
  } catch (cause) {
    throw conflict({ reason: "channel_key_unreadable" }, { field: "key", cause });
  }
  return stored.reference === null ? { key } : referencedKey(deps, row.type, key);
}

/** Returns a key as it was entered, for a channel of this type. */
export function enteredKey(deps: KeyDeps, type: number, key: string): KeyForTest {
  return referenceSource(key) === undefined ? { key } : referencedKey(deps, type, key);
}

function referencedKey({ providers, keyReferences }: KeyDeps, type: number, key: string): KeyForTest {
  const provider = providers.get(type);
  const referenced = provider === undefined ? undefined : keyReferences.find(key, provider);
  // Without its value, the reference itself would be sent as the key.
  return referenced === undefined ? { key: "" } : { key, referenced };
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
  open: typeof typedIn = typedIn,
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
function changedFields(before: ChannelWithParts, after: ChannelWithParts, open: typeof typedIn): string[] {
  const was = new Map(Object.entries(open(before)).map(([name, value]) => [name, JSON.stringify(value)]));
  const fields = Object.entries(open(after))
    .filter(([name, value]) => was.get(name) !== JSON.stringify(value))
    .map(([name]) => name);
  const keysOfRow = (row: ChannelWithParts) => row.keys.map((key) => key.id).join(" ");
  return keysOfRow(before) === keysOfRow(after) ? fields : [...fields, "key"];
}

function picture(row: ChannelWithParts): object {
  return { ...typedIn(row), status: row.status, key_hints: row.keys.map(keyLabel) };
}

/** Returns the test model of a channel. Throws `conflict` if it has none. */
export function testModelFor(
  deps: Pick<ChannelDeps, "providers">,
  input: Pick<ChannelInput, "test_model" | "models" | "type">,
): string {
  const requested = { testModel: input.test_model, models: input.models };
  const model = testModelOf(requested, deps.providers.get(input.type));
  if (model) return model;
  throw conflict(
    { reason: "test_model_missing" },
    { issues: { test_model: { reason: "test_model_required" } } },
  );
}
