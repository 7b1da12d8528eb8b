/** The timeline of a channel: every change of its state, newest first, with the actor or the reason. */
import { type AutoDisabledChannel, MOST_AUTO_DISABLED } from "@gateway/shared/channels/auto-disabled";
import type { ChannelEventRow } from "@gateway/shared/channels/channel";
import { storedFacts } from "@gateway/shared/reasons";
import { z } from "zod";
import { unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";

const Detail = z.object({
  key: z.string().catch(""),
  model: z.string().catch(""),
  fields: z.array(z.string()).catch([]),
});

/** Retention of timeline events, in days. */
const KEPT_DAYS = 180;
/** Number of newest events per channel that are never deleted: they explain its current state. */
const KEPT_ALWAYS = 20;

/** Deletes old events. A model that is paused daily would otherwise fill the disk. */
export async function forgetOldEvents(db: Db): Promise<void> {
  await db.$executeRaw`
    DELETE FROM channel_events old
    WHERE old.created_time < now() - ${KEPT_DAYS} * interval '1 day'
      AND old.id <= (
        SELECT id FROM channel_events WHERE channel_id = old.channel_id ORDER BY id DESC OFFSET ${KEPT_ALWAYS} LIMIT 1)`;
}

export async function listEvents(
  db: Db,
  channelId: number,
  { skip, take }: { skip: number; take: number },
): Promise<{ rows: ChannelEventRow[]; total: number }> {
  const where = { channel_id: channelId };
  const [events, total] = await Promise.all([
    db.channelEvent.findMany({ where, skip, take, orderBy: { id: "desc" } }),
    db.channelEvent.count({ where }),
  ]);
  const ids = events.flatMap((event) => event.user_id ?? []);
  const users = await db.user.findMany({
    where: { id: { in: ids } },
    select: { id: true, username: true },
  });
  const nameOf = new Map(users.map((user) => [user.id, user.username]));
  const rows = events.map((event) => ({
    id: Number(event.id),
    created_time: unixTime(event.created_time),
    kind: event.kind,
    reason: event.reason,
    reason_facts: storedFacts(event.reason_facts),
    username: event.user_id === null ? null : (nameOf.get(event.user_id) ?? `#${event.user_id}`),
    ...Detail.parse(event.detail ?? {}),
  }));
  return { rows, total };
}

/** Returns the channels that were disabled automatically in a period, newest first. Reads the index of each channel. */
export async function listAutoDisabledChannels(
  db: Db,
  { from, to }: { from: Date; to: Date },
): Promise<AutoDisabledChannel[]> {
  return db.$queryRaw<AutoDisabledChannel[]>`
    SELECT floor(extract(epoch FROM event.created_time))::int AS created_time,
      channel.id AS channel_id, channel.name AS channel_name
    FROM channels channel
    CROSS JOIN LATERAL (
      SELECT created_time FROM channel_events
      WHERE channel_id = channel.id AND kind = 'auto-disabled' AND created_time >= ${from} AND created_time < ${to}
      ORDER BY created_time DESC LIMIT ${MOST_AUTO_DISABLED}) event
    ORDER BY event.created_time DESC LIMIT ${MOST_AUTO_DISABLED}`;
}
