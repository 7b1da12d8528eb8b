import { type Reason, reasonOf } from "@gateway/shared/reasons";
import { sealPrivate } from "#domain/channels/channel-secrets.ts";
import { channelKeyContext } from "#domain/channels/selection/load-channels.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { hintOf } from "#platform/secrets.ts";
import { inBatches, type WriteContext } from "./write-context.ts";

/** Channels with their keys under the ids they had: the cipher texts are bound to them. */
export async function writeChannels(
  context: WriteContext,
  records: AsyncIterable<ChannelRecord>,
): Promise<void> {
  await inBatches(context, "channels", records, async (batch) => {
    for (const channel of batch) await writeChannel(context, channel);
    context.book.imported("channels", batch.length);
  });
}

async function writeChannel({ tx, secrets, groups, now, book }: WriteContext, channel: ChannelRecord) {
  const { id } = channel;
  const { models, groups: names, ...columns } = channel.input;
  const symbols: string[] = [];
  for (const name of names) symbols.push(await groups.symbolOf(name));
  await tx.channel.create({
    data: {
      id,
      ...columns,
      ...sealPrivate(secrets, id, channel.input),
      status: channel.status,
      ...statusReason(channel.status, channel.statusReason),
      status_time: channel.status === 1 ? null : now,
      used_quota: channel.usedQuota,
      balance: channel.balance,
      balance_updated_time: channel.balanceTime ?? null,
      response_time: channel.responseTime,
      test_time: channel.testTime ?? null,
      created_time: channel.createdTime ?? now,
      deleted_at: channel.deletedAt ?? null,
    },
  });
  await tx.channelModel.createMany({
    data: models.map((model, position) => ({ channel_id: id, model, position })),
  });
  await tx.channelGroup.createMany({
    data: [...new Set(symbols)].map((group) => ({ channel_id: id, group })),
  });
  // The keys of a deleted channel are destroyed, as they are when a channel is deleted here.
  if (channel.deletedAt === undefined)
    await tx.channelKey.createMany({
      data: channel.keys.map(({ key, status, reason }, position) => ({
        channel_id: id,
        key_hash: secrets.hash(key),
        key_encrypted: secrets.encrypt(key, channelKeyContext(id)),
        key_hint: hintOf(key),
        status,
        ...statusReason(status, reason),
        status_time: status === 1 ? null : now,
        position,
      })),
      skipDuplicates: true,
    });
  if (channel.keys.length === 0 && channel.deletedAt === undefined && channel.status === 1)
    book.note("channel_without_key", `channel ${id}`);
}

function statusReason(status: number, known: Reason | undefined) {
  const reason = known ?? (status === 1 ? undefined : reasonOf("importedDisabled"));
  return { status_reason: reason?.text ?? "", status_facts: reason?.facts ?? [] };
}
