import type { Reason } from "@gateway/shared/reasons";
import { NoticeEvent } from "@gateway/shared/site/notice";
import type { Settings } from "@gateway/shared/site/settings";
import { senderFor } from "#domain/settings/mail-account.ts";
import type { Message } from "#notices/channel.ts";
import { eventMessages, type Facts } from "#notices/event-messages.ts";
import type { Db } from "#platform/database/db.ts";

/**
 * Notices to operators. Raising a notice is one insert in the transaction of its cause and nothing more; whom it
 * goes to, whether it was just said, and the telling itself are the clock's work.
 */
export interface NewNotice {
  event: NoticeEvent;
  /** What it is about, e.g. `channel:12`: the same topic is sent once within the quiet time. */
  topic: string;
  /** Values for the sentence. Never a secret. */
  facts: Facts;
  reason?: Reason;
}

const MOST = 500;

export async function raiseNotice(db: Db, { event, topic, facts, reason }: NewNotice): Promise<void> {
  const all = reason === undefined ? facts : { ...facts, reason: reason.text };
  const short = Object.entries(all).map(([name, value]) => [name, value.slice(0, MOST)]);
  await db.notice.create({
    data: {
      event,
      topic: topic.slice(0, 160),
      facts: Object.fromEntries(short),
      reason_facts: reason?.facts ?? [],
    },
  });
}

/** How a notice reads: in English, as its reason does. */
export function messageOf(
  notice: { event: string; facts: unknown; created_time: Date },
  settings: Settings,
): Message {
  const { name, siteUrl } = senderFor(settings);
  const facts = factsOf(notice.facts);
  const known = NoticeEvent.safeParse(notice.event);
  const messages = eventMessages[known.success ? known.data : "test"];
  return {
    event: notice.event,
    title: messages.title(facts),
    text: messages.text(facts),
    time: notice.created_time,
    site: name,
    siteUrl,
    facts,
  };
}

function factsOf(stored: unknown): Facts {
  if (typeof stored !== "object" || stored === null) return {};
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, String(value)]));
}

/** The latest ones, sent or suppressed, newest first. */
export async function listNotices(db: Db, take: number) {
  return db.notice.findMany({
    where: { planned_time: { not: null } },
    orderBy: { id: "desc" },
    take,
    include: { deliveries: { orderBy: { channel: "asc" } } },
  });
}
