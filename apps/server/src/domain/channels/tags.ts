/** Tags of channels. A tag has no row of its own, so it exists while at least one channel has it. */
import type { ChannelTag, ChannelTagAnswer, ChannelTagEdit } from "@gateway/shared/channels/channel-batch";
import type { z } from "zod";
import type { Actor } from "#domain/audit-log/audit.ts";
import { collectChannelCharges } from "#domain/ledger/bookings/collect-channel-charges.ts";
import { factsOf, GatewayError, notFound } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { hintOf } from "#platform/secrets.ts";
import { channelParts, type ChannelWithParts, toChannelInput } from "./channel-row.ts";
import { type ChannelDeps, createChannel, withStoredSecrets } from "./channels.ts";
import { keysOf } from "./keys.ts";
import { applyEdit } from "./runs/batch-edit.ts";
import { deleteChannels, editChannels } from "./runs/batch.ts";

export async function listTags(db: Db): Promise<ChannelTag[]> {
  await collectChannelCharges(db);
  const rows = await db.$queryRaw<TagLine[]>`
    SELECT tag, count(*)::int AS total,
      count(*) FILTER (WHERE status = 1)::int AS enabled,
      count(*) FILTER (WHERE status = 2)::int AS disabled,
      count(*) FILTER (WHERE status = 3)::int AS auto_disabled,
      array_agg(DISTINCT type ORDER BY type) AS types,
      min(priority) AS priority_min, max(priority) AS priority_max,
      min(weight) AS weight_min, max(weight) AS weight_max,
      sum(used_quota)::text AS used_quota,
      coalesce(avg(response_time) FILTER (WHERE response_time > 0), 0)::int AS response_time
    FROM channels WHERE deleted_at IS NULL AND tag <> '' GROUP BY tag ORDER BY tag`;
  return rows.map(({ priority_min, priority_max, weight_min, weight_max, ...line }) => ({
    ...line,
    priority: { min: priority_min, max: priority_max },
    weight: { min: weight_min, max: weight_max },
    used_quota: Number(line.used_quota),
  }));
}

interface TagLine extends Omit<ChannelTag, "priority" | "weight" | "used_quota"> {
  priority_min: number;
  priority_max: number;
  weight_min: number;
  weight_max: number;
  used_quota: string;
}

/** Returns the channels of a tag, newest first. Throws `not_found` for a tag that no channel has. */
export async function channelsOfTag(db: Db, tag: string): Promise<ChannelWithParts[]> {
  const rows = await db.channel.findMany({
    where: { tag, deleted_at: null },
    orderBy: { id: "desc" },
    include: channelParts,
  });
  if (tag === "" || rows.length === 0) throw notFound({ reason: "tag_not_found" });
  return rows;
}

export async function idsOfTag(db: Db, tag: string): Promise<number[]> {
  const rows = await db.channel.findMany({
    where: { tag, deleted_at: null },
    select: { id: true },
    orderBy: { id: "asc" },
  });
  if (tag === "" || rows.length === 0) throw notFound({ reason: "tag_not_found" });
  return rows.map((row) => row.id);
}

type TagEdit = z.infer<typeof ChannelTagEdit> & {
  /** Name of new channels, before their number. By default that of the newest channel. */
  name?: string;
  /** Number in the name of the first new channel. By default the one after the highest in use. */
  firstNumber?: number;
};

/**
 * Edits every channel of the tag. Keys that no channel of the tag has become new channels modelled on the
 * newest one.
 * @param tag current tag of the channels; the edit may give them another one
 */
export async function editTag(
  deps: ChannelDeps,
  actor: Actor,
  tag: string,
  { edit, key, remove_missing, preview, name: named, firstNumber }: TagEdit,
): Promise<ChannelTagAnswer> {
  const members = await channelsOfTag(deps.db, tag);
  const keys = keysOf(key);
  const { fresh, missing } = compareKeys(deps, members, keys, remove_missing);
  const staying = members.filter((member) => !missing.includes(member));
  const ids = staying.map((member) => member.id);
  const edited = await editChannels(deps, actor, ids, edit, preview);
  const answer: ChannelTagAnswer = { ...edited, added: [], removed: [] };

  const [model] = members;
  const base = (named || model?.name.replace(/_\d+$/, "") || "").slice(0, 120);
  const first = firstNumber ?? nextNumber(members, base);
  for (const [index, each] of fresh.entries()) {
    if (model === undefined || preview) {
      answer.added.push(hintOf(each));
      continue;
    }
    const name = `${base}_${first + index}`;
    try {
      const input = withStoredSecrets(
        deps,
        actor,
        model,
        applyEdit({ ...toChannelInput(model), name, key: each }, edit),
      );
      answer.added.push((await createChannel(deps, actor, input)).name);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      answer.failed.push({ id: 0, name, ...factsOf(error) });
    }
  }
  if (preview) answer.removed = missing.map(({ id, name }) => ({ id, name }));
  else if (missing.length > 0) {
    const gone = await deleteChannels(
      deps,
      actor,
      missing.map((member) => member.id),
    );
    answer.removed = missing.filter(({ id }) => gone.done.includes(id)).map(({ id, name }) => ({ id, name }));
    answer.failed.push(...gone.failed);
  }
  return answer;
}

/** Returns a number that no channel of the tag has in its name. */
function nextNumber(members: ChannelWithParts[], base: string): number {
  const numbers = members.map(({ name }) =>
    name.startsWith(`${base}_`) ? Number(/^\d{1,9}$/.exec(name.slice(base.length + 1))?.[0] ?? 0) : 0,
  );
  return Math.max(members.length, ...numbers) + 1;
}

function compareKeys(
  { secrets }: ChannelDeps,
  members: ChannelWithParts[],
  keys: string[],
  removeMissing: boolean,
): { fresh: string[]; missing: ChannelWithParts[] } {
  const given = new Set(keys.map((key) => hex(secrets.hash(key))));
  const known = new Set(members.flatMap((member) => member.keys.map((key) => hex(key.key_hash))));
  return {
    fresh: keys.filter((key) => !known.has(hex(secrets.hash(key)))),
    // Without a list of keys nothing is missing: an empty field must not delete a tag.
    missing:
      removeMissing && keys.length > 0
        ? members.filter((member) => !member.keys.some((key) => given.has(hex(key.key_hash))))
        : [],
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
