import type { Reason } from "@gateway/shared/reasons";
import { NoticeEvent } from "@gateway/shared/site/notice";
import type { Settings } from "@gateway/shared/site/settings";
import { addToSiteInbox } from "#domain/inbox/entries.ts";
import { senderFor } from "#domain/settings/mail-account.ts";
import type { NoticeMessage } from "#notices/channel.ts";
import { eventMessages, type Facts } from "#notices/event-messages.ts";
import type { Db } from "#platform/database/db.ts";
import {
  readStoredTexts,
  storableFacts,
  storableParams,
  storableText,
} from "#platform/database/storable-text.ts";

/**
 * Notices to operators. Raising a notice stores it and adds it to the inbox, in the transaction of its cause.
 * Scheduled jobs choose the recipients, suppress repeats and send it.
 */
export interface NewNotice {
  event: NoticeEvent;
  /** Subject of the notice, e.g. `channel:12`. The same topic is sent once within the quiet time. */
  topic: string;
  /** Values for the text. Never a secret. */
  facts: Facts;
  reason?: Reason;
}

const MOST = 500;

export async function raiseNotice(db: Db, { event, topic, facts, reason }: NewNotice): Promise<void> {
  const all = reason === undefined ? facts : { ...facts, reason: reason.text };
  await db.notice.create({
    data: {
      event,
      topic: storableText(topic, 160),
      facts: storableParams(all, MOST),
      reason_facts: storableFacts(reason?.facts ?? [], MOST),
    },
  });
  await addToSiteInbox(db, { event, topic, facts, ...(reason === undefined ? {} : { reason }) });
}

/** Returns the text of a notice, in English like its reason. */
export function messageOf(
  notice: { event: string; facts: unknown; created_time: Date },
  settings: Settings,
): NoticeMessage {
  const { name, siteUrl } = senderFor(settings);
  const facts = readStoredTexts(notice.facts);
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

/** Returns the latest planned notices, newest first. */
export async function listNotices(db: Db, take: number) {
  return db.notice.findMany({
    where: { planned_time: { not: null } },
    orderBy: { id: "desc" },
    take,
    include: { deliveries: { orderBy: { channel: "asc" } } },
  });
}
