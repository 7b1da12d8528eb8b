import type { ChannelEventRow } from "@gateway/shared/channel";
import { z } from "zod";
import type { Db } from "#platform/db.ts";

/** The time line of a channel: every change of its state, newest first, with who or why. */

const Detail = z.object({
  key: z.string().catch(""),
  model: z.string().catch(""),
  fields: z.array(z.string()).catch([]),
});

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
    created_time: Math.floor(event.created_time.getTime() / 1000),
    kind: event.kind,
    reason: event.reason,
    username: event.user_id === null ? null : (nameOf.get(event.user_id) ?? `#${event.user_id}`),
    ...Detail.parse(event.detail ?? {}),
  }));
  return { rows, total };
}
