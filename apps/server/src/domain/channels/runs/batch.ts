/**
 * Applies one change to many channels. Each channel has its own transaction: successful changes stay. The
 * result names every channel that failed, with the reason.
 */
import type { ChannelInput } from "@gateway/shared/channels/channel";
import type {
  ChannelBatchAnswer,
  ChannelEdit,
  ChannelEditAnswer,
} from "@gateway/shared/channels/channel-batch";
import type { Actor } from "#domain/audit-log/audit.ts";
import { checkChannel } from "#domain/channels/channel-check.ts";
import { type ChannelWithParts, toChannelInput } from "#domain/channels/channel-row.ts";
import {
  type ChannelDeps,
  deleteChannel,
  editChannel,
  getChannel,
  patchChannel,
  withStoredSecrets,
} from "#domain/channels/channels.ts";
import { factsOf, GatewayError, invalidRequest } from "#errors.ts";
import { applyEdit, differences } from "./batch-edit.ts";

/** Edits many channels. With `preview`, nothing is written, but every channel is checked as if it were. */
export async function editChannels(
  deps: ChannelDeps,
  actor: Actor,
  ids: readonly number[],
  edit: ChannelEdit,
  preview: boolean,
): Promise<ChannelEditAnswer> {
  const answer: ChannelEditAnswer = { preview, changed: [], unchanged: 0, failed: [] };
  const { failed } = await each(deps, ids, async (before) => {
    const now: ChannelInput = { ...toChannelInput(before), key: "" };
    const wanted = applyEdit(now, edit);
    const changes = differences(now, wanted);
    if (changes.length === 0) {
      answer.unchanged += 1;
      return;
    }
    refuseEmpty(wanted);
    if (preview)
      await checkChannel(
        deps.db,
        deps.providers,
        withStoredSecrets(deps, actor, before, wanted),
        before.keys,
      );
    else await editChannel(deps, actor, before.id, (latest) => applyEdit(latest, edit));
    const values = Object.fromEntries(changes.map(({ field }) => [field, now[field]]));
    answer.changed.push({ id: before.id, name: before.name, changes, before: values });
  });
  return { ...answer, failed };
}

/**
 * Throws if an edit leaves no model or no group. The schema cannot check this, because it sees only the edit.
 */
function refuseEmpty({ models, groups }: { models: string[]; groups: string[] }): void {
  if (models.length === 0) throw invalidRequest({ reason: "no_model_left" });
  if (groups.length === 0) throw invalidRequest({ reason: "no_group_left" });
}

export function switchChannels(
  deps: ChannelDeps,
  actor: Actor,
  ids: readonly number[],
  status: 1 | 2,
): Promise<ChannelBatchAnswer> {
  return each(deps, ids, ({ id }) => patchChannel(deps.db, actor, id, { status }));
}

export function deleteChannels(
  deps: ChannelDeps,
  actor: Actor,
  ids: readonly number[],
): Promise<ChannelBatchAnswer> {
  return each(deps, ids, ({ id }) => deleteChannel(deps.db, actor, id));
}

/** Returns the ids of channels disabled by a user or automatically, of one tag or of all. */
export async function disabledChannels({ db }: Pick<ChannelDeps, "db">, tag?: string): Promise<number[]> {
  const rows = await db.channel.findMany({
    where: { deleted_at: null, status: { in: [2, 3] }, ...(tag === undefined ? {} : { tag }) },
    select: { id: true },
    orderBy: { id: "asc" },
  });
  return rows.map((row) => row.id);
}

async function each(
  deps: ChannelDeps,
  ids: readonly number[],
  work: (channel: ChannelWithParts) => Promise<unknown>,
): Promise<ChannelBatchAnswer> {
  const answer: ChannelBatchAnswer = { done: [], failed: [] };
  for (const id of new Set(ids)) {
    let name = `#${id}`;
    try {
      const channel = await getChannel(deps.db, id);
      ({ name } = channel);
      await work(channel);
      answer.done.push(id);
    } catch (error) {
      // An internal error is a bug, not a partial result, so it must surface.
      if (!(error instanceof GatewayError)) throw error;
      answer.failed.push({ id, name, ...factsOf(error) });
    }
  }
  return answer;
}
