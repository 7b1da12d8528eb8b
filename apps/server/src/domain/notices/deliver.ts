import { Role } from "@gateway/shared/accounts/roles";
import { UserStatus } from "@gateway/shared/accounts/user";
import { plainReason } from "@gateway/shared/reasons";
import { eventsOf, type NoticeChannelId, NoticeEvent } from "@gateway/shared/site/notice";
import type { Settings } from "@gateway/shared/site/settings";
import { addToSiteInbox } from "#domain/inbox/entries.ts";
import { addressFailed, GatewayError, reasonOfError, upstreamFailed } from "#errors.ts";
import type { NoticeChannel, Tools } from "#notices/channel.ts";
import { isFilledIn, noticeChannels } from "#notices/index.ts";
import { currentTime, now } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { postToPublic } from "#platform/http/public-fetch.ts";
import type { Mailer } from "#platform/mail.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { messageOf } from "./notices.ts";

/** Delivery of notices to operators: choice of channels, suppression of repeats, and retries. */
export interface Telling {
  db: PrismaClient;
  settings: () => Settings;
  mailer: Mailer;
  post: typeof postToPublic;
}

const MOST_AT_ONCE = 100;
/** Minutes until the next attempt, after the first, second … failure. */
const PAUSES = [1, 5, 30, 120];
const KEEP_DAYS = 30;

/** Plans the deliveries of new notices. A repeat within the quiet time is only counted. */
export async function planNotices({ db, settings }: Pick<Telling, "db" | "settings">): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.planNotices})`;
    const current = settings();
    const raised = await tx.notice.findMany({
      where: { planned_time: null },
      orderBy: { id: "asc" },
      take: MOST_AT_ONCE,
    });
    for (const notice of raised) {
      if (await countAsRepeat(tx, notice, current.NotifyQuietMinutes)) continue;
      const channels = channelsFor(notice.event, current).map((channel) => ({ channel: channel.id }));
      await tx.notice.update({
        where: { id: notice.id },
        data: { planned_time: currentTime(), deliveries: { create: channels } },
      });
    }
    const old = new Date(currentTime().getTime() - KEEP_DAYS * 86_400_000);
    await tx.notice.deleteMany({ where: { created_time: { lt: old } } });
  });
}

async function countAsRepeat(
  tx: Prisma.TransactionClient,
  notice: { id: bigint; event: string; topic: string; created_time: Date },
  quietMinutes: number,
): Promise<boolean> {
  const { id, event, topic, created_time } = notice;
  const since = new Date(created_time.getTime() - quietMinutes * 60_000);
  const earlier = await tx.notice.findFirst({
    where: { event, topic, id: { lt: id }, planned_time: { not: null }, created_time: { gt: since } },
    orderBy: { id: "desc" },
  });
  if (earlier === null) return false;
  await tx.notice.update({ where: { id: earlier.id }, data: { repeats: { increment: 1 } } });
  await tx.notice.delete({ where: { id } });
  return true;
}

/** Returns the channels that are enabled, configured and subscribed to this event. */
function channelsFor(event: string, settings: Settings): NoticeChannel[] {
  const known = NoticeEvent.safeParse(event);
  return Object.values(noticeChannels).filter(
    (channel) =>
      settings[channel.enabledBy] &&
      isFilledIn(channel, settings) &&
      known.success &&
      eventsOf(settings[channel.events]).includes(known.data),
  );
}

/** Sends due deliveries. Each is claimed first, so that no other node sends it at the same time. */
export async function deliverNotices(telling: Telling): Promise<void> {
  const { db, settings } = telling;
  const due = await db.$queryRaw<{ notice_id: bigint; channel: NoticeChannelId; attempts: number }[]>`
    UPDATE notice_deliveries d SET attempts = attempts + 1, next_try = now() + interval '5 minutes'
    FROM (
      SELECT notice_id, channel FROM notice_deliveries WHERE status = 'pending' AND next_try <= now()
      ORDER BY next_try LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED
    ) w WHERE d.notice_id = w.notice_id AND d.channel = w.channel
    RETURNING d.notice_id, d.channel, d.attempts`;
  for (const { notice_id, channel, attempts } of due) {
    const where = { notice_id_channel: { notice_id, channel } };
    const notice = await db.notice.findUnique({ where: { id: notice_id } });
    if (notice === null) continue;
    try {
      const sender = noticeChannels[channel];
      await sender.send(messageOf(notice, settings()), settings(), toolsOf(telling));
      await db.noticeDelivery.update({ where, data: { status: "sent", error: "" } });
    } catch (error) {
      const pause = PAUSES[attempts - 1];
      const failure = error instanceof Error ? error.message.slice(0, 300) : "";
      await db.noticeDelivery.update({
        where,
        data: {
          status: pause === undefined ? "failed" : "pending",
          next_try: new Date(currentTime().getTime() + (pause ?? 0) * 60_000),
          error: failure,
        },
      });
      if (pause !== undefined) continue;
      await addToSiteInbox(db, {
        event: "notice-undelivered",
        topic: `channel:${channel}`,
        facts: { channel },
        reason: error instanceof GatewayError ? reasonOfError(error) : plainReason(failure),
      });
    }
  }
}

/** Sends a test notice through one channel, enabled or not. Throws the error of the channel. */
export async function sendTestNotice(telling: Telling, id: NoticeChannelId): Promise<void> {
  const settings = telling.settings();
  const message = messageOf({ event: "test", facts: {}, created_time: currentTime() }, settings);
  await noticeChannels[id].send(message, settings, toolsOf(telling));
}

function toolsOf({ db, mailer, post }: Telling): Tools {
  return {
    async post(url, body, headers) {
      try {
        return await post(url, body, headers);
      } catch (cause) {
        // The request for a test was valid; the configured address is wrong.
        if (cause instanceof GatewayError) throw addressFailed(cause);
        throw upstreamFailed({ reason: "address_unreachable" }, { cause });
      }
    },
    mail: (to, letter) => mailer.send({ to, ...letter }),
    operators: () => rootAddresses(db),
    now,
  };
}

async function rootAddresses(db: Db): Promise<string[]> {
  const rows = await db.user.findMany({
    where: { role: Role.root, status: UserStatus.enabled, deleted_at: null, email: { not: null } },
    select: { email: true },
  });
  return rows.flatMap(({ email }) => (email === null ? [] : [email]));
}
