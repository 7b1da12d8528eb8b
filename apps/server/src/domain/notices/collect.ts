/** Derives notices from stored events, so that neither the relay nor the channels depend on notices. */
import { formatQuota } from "@gateway/shared/billing/money";
import { storedFacts } from "@gateway/shared/reasons";
import type { Settings } from "@gateway/shared/site/settings";
import { addToInbox, addToSiteInbox } from "#domain/inbox/entries.ts";
import { canMail, senderFor } from "#domain/settings/mail-account.ts";
import { lowBalanceMail } from "#notices/mails.ts";
import { type Mailer, sendEach } from "#platform/mail.ts";
import { Prisma, type PrismaClient } from "#platform/prisma/client.ts";
import { openCursor } from "./cursor.ts";
import { raiseNotice } from "./notices.ts";

/** Delay before rows are read: a row may become visible after one with a higher id. */
const SETTLED = "3 seconds";
const MOST_AT_ONCE = 200;

type ChannelHappening = {
  id: bigint;
  kind: string;
  reason: string;
  reason_facts: unknown;
  detail: { key?: string; model?: string } | null;
  channel_id: number;
  name: string;
};

/**
 * Reports channels, keys and models of channels that were disabled, paused or enabled automatically since the
 * last run.
 */
export async function collectChannelEvents(db: PrismaClient): Promise<void> {
  await db.$transaction(async (tx) => {
    const cursor = await openCursor(tx, "channel-events", Prisma.sql`SELECT max(id) FROM channel_events`);
    const rows = await tx.$queryRaw<ChannelHappening[]>`
      SELECT e.id, e.kind, e.reason, e.reason_facts, e.detail, e.channel_id, c.name
      FROM channel_events e JOIN channels c ON c.id = e.channel_id
      WHERE e.id > ${cursor.position}
        AND e.kind IN ('auto-disabled', 'auto-enabled', 'key-auto-disabled', 'key-unavailable', 'circuit-opened')
        AND e.created_time < now() - ${SETTLED}::interval
      ORDER BY e.id LIMIT ${MOST_AT_ONCE}`;
    for (const row of rows) await reportChannel(tx, row);
    await cursor.moveTo(rows.at(-1)?.id);
  });
}

async function reportChannel(tx: Prisma.TransactionClient, row: ChannelHappening): Promise<void> {
  const { kind, channel_id, name, detail } = row;
  const topic = `channel:${channel_id}`;
  const facts = { name, id: String(channel_id) };
  const reason = { text: row.reason, facts: storedFacts(row.reason_facts) };
  if (kind === "key-auto-disabled") {
    const key = detail?.key ?? "";
    return addToSiteInbox(tx, {
      event: "key-disabled",
      topic: `${topic}:${key}`,
      facts: { ...facts, key },
      reason,
    });
  }
  if (kind === "key-unavailable") {
    const key = detail?.key ?? "";
    const happening = { topic: `${topic}:${key}`, facts: { ...facts, key }, reason };
    return raiseNotice(tx, { event: "key-unavailable", ...happening });
  }
  if (kind === "circuit-opened") {
    const model = detail?.model ?? "";
    const happening = { topic: `${topic}:${model}`, facts: { ...facts, model }, reason };
    return addToSiteInbox(tx, { event: "channel-paused", ...happening });
  }
  const event = kind === "auto-disabled" ? "channel-disabled" : "channel-enabled";
  await raiseNotice(tx, { event, topic, facts, reason });
}

/**
 * Notifies users whose balance fell below the limit, in their inbox and by email. Each user is notified once
 * until the balance is above the limit again. Only users with calls in the last hours are checked. A later
 * run sends what the mail server did not accept.
 */
export async function remindOfBalances(db: PrismaClient, settings: Settings, mailer: Mailer): Promise<void> {
  const threshold = settings.QuotaRemindThreshold;
  await db.$executeRaw`
    DELETE FROM balance_reminders r USING users u WHERE u.id = r.user_id AND u.quota >= ${threshold}`;
  if (threshold === 0) return;
  const fallen = await db.$queryRaw<
    { id: number; username: string; email: string | null; language: string; quota: bigint }[]
  >`
    SELECT u.id, u.username, u.email, u.language, u.quota FROM users u
    WHERE u.id IN (SELECT user_id FROM usage_hours WHERE hour >= date_trunc('hour', now()) - interval '2 hours')
      AND u.quota < ${threshold} AND u.status = 1 AND u.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM balance_reminders r WHERE r.user_id = u.id)
    ORDER BY u.id LIMIT ${MOST_AT_ONCE}`;
  await sendEach(fallen, async ({ id, username, email, language, quota }) => {
    const { count } = await db.balanceReminder.createMany({ data: { user_id: id }, skipDuplicates: true });
    if (count === 0) return;
    await addToInbox(db, id, {
      event: "balance-low",
      topic: "balance",
      facts: { balance: String(quota), threshold: String(threshold) },
      // If the email failed, the next run tries again and must not count a second entry.
      once: true,
    });
    if (email === null || !canMail(settings)) return;
    const letter = lowBalanceMail(senderFor(settings, language), {
      username,
      balance: amountText(Number(quota), settings),
      threshold: amountText(threshold, settings),
    });
    try {
      await mailer.send({ to: email, ...letter });
    } catch (error) {
      await db.balanceReminder.deleteMany({ where: { user_id: id } });
      throw error;
    }
  });
}

/**
 * Formats a balance as the console does: dollars with two decimals, or shortened points if the site shows
 * points.
 */
export function amountText(points: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: Settings): string {
  return formatQuota(points, { inCurrency: DisplayInCurrencyEnabled, pointsPerUsd: QuotaPerUnit });
}
