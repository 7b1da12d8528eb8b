import { type AdminRights, mayEnter } from "@gateway/shared/accounts/roles";
import { storedFacts } from "@gateway/shared/reasons";
import {
  InboxEvent,
  type InboxKind,
  type InboxPage,
  type InboxQuery,
  type InboxRow,
  type InboxState,
  kindOf,
  MOST_UNREAD,
  ownEvents,
  siteEvents,
} from "@gateway/shared/site/inbox";
import { notFound } from "#errors.ts";
import { unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { readStoredTexts } from "#platform/database/storable-text.ts";
import { Prisma } from "#platform/prisma/client.ts";

/**
 * The inbox of a user: the user's own entries, and those of the site that the user's rights allow. Each user
 * has a separate read state.
 */
export type InboxReader = AdminRights & { id: number };

/** Retention of entries in days, and the maximum number per user and of the site. */
const KEPT_DAYS = 90;
const MOST_OWN = 500;
const MOST_OF_SITE = 2_000;

/** Returns the condition for entries that this user may see, optionally of one kind. */
function visible(reader: InboxReader, kind: InboxKind | "" = ""): Prisma.Sql {
  const ofKind = (event: string) => kind === "" || kindOf(InboxEvent.parse(event)) === kind;
  const own = Object.keys(ownEvents).filter(ofKind);
  const site = Object.entries(siteEvents)
    .filter(([event, { area }]) => ofKind(event) && mayEnter(reader, area))
    .map(([event]) => event);
  return Prisma.sql`(
    (e.user_id = ${reader.id} AND e.event = ANY(${own}::text[]))
    OR (e.user_id = 0 AND e.event = ANY(${site}::text[])))`;
}

/** Returns the join that computes whether an entry is read. Entries older than the account count as read. */
const readState = (userId: number) => Prisma.sql`
  CROSS JOIN LATERAL (
    SELECT e.last_time <= greatest(
      (SELECT read_time FROM inbox_reads WHERE user_id = ${userId} AND entry_id = e.id),
      (SELECT read_until FROM inbox_marks WHERE user_id = ${userId}),
      (SELECT created_time FROM users WHERE id = ${userId})) AS read
  ) state`;

interface StoredEntry {
  id: bigint;
  event: string;
  facts: unknown;
  reason: string;
  reason_facts: unknown;
  count: number;
  created_time: Date;
  last_time: Date;
  read: boolean;
}

export async function listInbox(
  db: Db,
  reader: InboxReader,
  { page, size, unread, kind }: InboxQuery,
): Promise<InboxPage> {
  const only = unread === 1 ? Prisma.sql`AND NOT state.read` : Prisma.empty;
  const rows = await db.$queryRaw<StoredEntry[]>`
    SELECT e.*, state.read FROM inbox_entries e ${readState(reader.id)}
    WHERE ${visible(reader, kind)} ${only}
    ORDER BY e.last_time DESC, e.id DESC LIMIT ${size} OFFSET ${(page - 1) * size}`;
  const [total] = await db.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM inbox_entries e ${readState(reader.id)} WHERE ${visible(reader, kind)} ${only}`;
  const events = await db.$queryRaw<{ event: string }[]>`
    SELECT DISTINCT e.event FROM inbox_entries e WHERE ${visible(reader)}`;
  const kinds = new Set(events.flatMap(({ event }) => InboxEvent.safeParse(event).data ?? []).map(kindOf));
  return {
    data: rows.flatMap(describe),
    page,
    size,
    total_count: Number(total?.count ?? 0),
    kinds: [...kinds],
  };
}

function describe(row: StoredEntry): InboxRow[] {
  const { data: event } = InboxEvent.safeParse(row.event);
  if (event === undefined) return [];
  return [
    {
      id: Number(row.id),
      event,
      kind: kindOf(event),
      facts: readStoredTexts(row.facts),
      reason: row.reason,
      reason_facts: storedFacts(row.reason_facts),
      count: row.count,
      created_time: unixTime(row.created_time),
      last_time: unixTime(row.last_time),
      read: row.read,
    },
  ];
}

export async function inboxState(db: Db, reader: InboxReader): Promise<InboxState> {
  const [found] = await db.$queryRaw<{ unread: bigint; newest: Date | null }[]>`
    SELECT
      (SELECT count(*) FROM (
        SELECT 1 FROM inbox_entries e ${readState(reader.id)}
        WHERE ${visible(reader)} AND NOT state.read LIMIT ${MOST_UNREAD}) AS counted) AS unread,
      (SELECT max(e.last_time) FROM inbox_entries e WHERE ${visible(reader)}) AS newest`;
  return { unread: Number(found?.unread ?? 0), newest: found?.newest?.getTime() ?? 0 };
}

/** Marks an entry as read. Throws `not_found` for an entry that this user may not see. */
export async function markRead(db: Db, reader: InboxReader, id: number): Promise<void> {
  const marked = await db.$executeRaw`
    INSERT INTO inbox_reads (user_id, entry_id, read_time)
    SELECT ${reader.id}, e.id, e.last_time FROM inbox_entries e WHERE e.id = ${id} AND ${visible(reader)}
    ON CONFLICT (user_id, entry_id) DO UPDATE SET read_time = greatest(inbox_reads.read_time, excluded.read_time)`;
  if (marked === 0) throw notFound({ reason: "inbox_entry_not_found" });
}

/**
 * Marks entries as read.
 * @param until milliseconds since 1970: later entries stay unread
 */
export async function markAllRead(db: Db, reader: InboxReader, until: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO inbox_marks (user_id, read_until)
    VALUES (${reader.id}, least(to_timestamp(${until}::float8 / 1000), now()))
    ON CONFLICT (user_id) DO UPDATE SET read_until = greatest(inbox_marks.read_until, excluded.read_until)`;
  await db.$executeRaw`
    DELETE FROM inbox_reads r USING inbox_marks m
    WHERE r.user_id = ${reader.id} AND m.user_id = r.user_id AND r.read_time <= m.read_until`;
}

/**
 * Deletes expired entries, and the oldest of users who exceed the maximum and received one within the last
 * day.
 */
export async function forgetOldEntries(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM inbox_entries WHERE last_time < now() - ${KEPT_DAYS} * interval '1 day'`;
  await db.$executeRaw`
    DELETE FROM inbox_entries old USING (
      SELECT id, user_id, row_number() OVER (PARTITION BY user_id ORDER BY last_time DESC, id DESC) AS place
      FROM inbox_entries
      WHERE user_id IN (SELECT user_id FROM inbox_entries WHERE last_time > now() - interval '1 day')
    ) ranked
    WHERE old.id = ranked.id
      AND ranked.place > CASE WHEN ranked.user_id = 0 THEN ${MOST_OF_SITE}::int ELSE ${MOST_OWN}::int END`;
}
