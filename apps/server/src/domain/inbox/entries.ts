import type { Reason } from "@gateway/shared/reasons";
import type { OwnEvent, SiteEvent } from "@gateway/shared/site/inbox";
import type { Db } from "#platform/database/db.ts";
import { storableFacts, storableParams, storableText } from "#platform/database/storable-text.ts";

/** Adds events to inboxes: one insert, in the transaction of the cause. `inbox.ts` manages the read state. */
interface Happening {
  /** Subject of the event, e.g. `channel:12`. The same event and subject result in one entry per day. */
  topic: string;
  /** Values for the text. Never a secret. */
  facts: Readonly<Record<string, string>>;
  reason?: Reason;
  /** Number of occurrences; default 1. */
  times?: number;
  /** If set, an existing entry of the day is not changed. */
  once?: true;
}

export type SiteHappening = Happening & { event: SiteEvent };
export type OwnHappening = Happening & { event: OwnEvent };

/** Adds an event to the inbox of the site, which its administrators see. */
export function addToSiteInbox(db: Db, happening: SiteHappening): Promise<void> {
  return add(db, 0, happening);
}

export function addToInbox(db: Db, userId: number, happening: OwnHappening): Promise<void> {
  return add(db, userId, happening);
}

const longestFact = 500;
const longestReason = 1_000;

async function add(db: Db, userId: number, happening: SiteHappening | OwnHappening): Promise<void> {
  const { event, reason, times = 1, once = false } = happening;
  const facts = storableParams(happening.facts, longestFact);
  const reasonFacts = storableFacts(reason?.facts ?? [], longestFact);
  // `clock_timestamp()` instead of the start of the transaction: "mark all as read" must not include entries
  // that are committed later.
  await db.$executeRaw`
    INSERT INTO inbox_entries AS e
      (user_id, event, topic, day, facts, reason, reason_facts, count, created_time, last_time)
    SELECT ${userId}, ${event}, ${storableText(happening.topic, 160)}, (at AT TIME ZONE 'UTC')::date,
      ${JSON.stringify(facts)}::jsonb, ${storableText(reason?.text ?? "", longestReason)},
      ${JSON.stringify(reasonFacts)}::jsonb, ${times}, at, at
    FROM clock_timestamp() at
    ON CONFLICT (user_id, event, topic, day) DO UPDATE SET
      count = least(e.count::bigint + excluded.count, 2147483647)::int, last_time = excluded.last_time,
      facts = excluded.facts, reason = excluded.reason, reason_facts = excluded.reason_facts
    WHERE NOT ${once}`;
}

/** Returns whether the site's inbox has an entry of this event and topic. */
export async function siteInboxHas(db: Db, event: SiteEvent, topic: string): Promise<boolean> {
  return (
    (await db.inboxEntry.findFirst({ where: { user_id: 0, event, topic }, select: { id: true } })) !== null
  );
}
