import { formatQuota } from "@gateway/shared/billing/money";
import { storedFacts } from "@gateway/shared/reasons";
import type { Settings } from "@gateway/shared/site/settings";
import { canMail, senderFor } from "#domain/settings/mail-account.ts";
import { lowBalanceMail } from "#notices/mails.ts";
import type { Mailer } from "#platform/mail.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { raiseNotice } from "./notices.ts";

/**
 * Finds what is worth telling in what is written down anyway, so that neither the relay nor the channels know of
 * notices.
 */

const CHANNEL_EVENTS = "channel-events";
/** A row may become visible after one with a higher id; this long is waited for it. */
const SETTLED = "3 seconds";
const MOST_AT_ONCE = 200;

/** Channels that were switched off or on automatically since the last look. */
export async function collectChannelEvents(db: PrismaClient): Promise<void> {
  await db.$transaction(async (tx) => {
    const from = await positionOf(tx);
    const rows = await tx.$queryRaw<
      { id: bigint; kind: string; reason: string; reason_facts: unknown; channel_id: number; name: string }[]
    >`
      SELECT e.id, e.kind, e.reason, e.reason_facts, e.channel_id, c.name
      FROM channel_events e JOIN channels c ON c.id = e.channel_id
      WHERE e.id > ${from} AND e.kind IN ('auto-disabled', 'auto-enabled')
        AND e.created_time < now() - ${SETTLED}::interval
      ORDER BY e.id LIMIT ${MOST_AT_ONCE}`;
    for (const { kind, reason, reason_facts, channel_id, name } of rows) {
      await raiseNotice(tx, {
        event: kind === "auto-disabled" ? "channel-disabled" : "channel-enabled",
        topic: `channel:${channel_id}`,
        facts: { name, id: String(channel_id) },
        reason: { text: reason, facts: storedFacts(reason_facts) },
      });
    }
    const last = rows.at(-1)?.id;
    if (last === undefined) return;
    await tx.noticeCursor.update({ where: { source: CHANNEL_EVENTS }, data: { position: last } });
  });
}

/** Held until the transaction ends, so that two nodes do not read the same. At first: now; history is no news. */
async function positionOf(tx: Prisma.TransactionClient): Promise<bigint> {
  await tx.$executeRaw`
    INSERT INTO notice_cursors (source, position)
    SELECT ${CHANNEL_EVENTS}, coalesce(max(id), 0) FROM channel_events
    ON CONFLICT (source) DO NOTHING`;
  const [row] = await tx.$queryRaw<{ position: bigint }[]>`
    SELECT position FROM notice_cursors WHERE source = ${CHANNEL_EVENTS} FOR UPDATE`;
  return row?.position ?? 0n;
}

/**
 * Writes to people whose calls took their balance below the limit; once, until it has been above it again. Only those
 * with calls in the last hours are looked at. Stops at the first mail that cannot be sent; the rest follows later.
 */
export async function remindOfBalances(db: PrismaClient, settings: Settings, mailer: Mailer): Promise<void> {
  const threshold = settings.QuotaRemindThreshold;
  await db.$executeRaw`
    DELETE FROM balance_reminders r USING users u WHERE u.id = r.user_id AND u.quota >= ${threshold}`;
  if (threshold === 0 || !canMail(settings)) return;
  const fallen = await db.$queryRaw<
    { id: number; username: string; email: string; language: string; quota: bigint }[]
  >`
    SELECT u.id, u.username, u.email, u.language, u.quota FROM users u
    WHERE u.id IN (SELECT user_id FROM usage_hours WHERE hour >= date_trunc('hour', now()) - interval '2 hours')
      AND u.quota < ${threshold} AND u.status = 1 AND u.deleted_at IS NULL AND u.email IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM balance_reminders r WHERE r.user_id = u.id)
    ORDER BY u.id LIMIT ${MOST_AT_ONCE}`;
  for (const { id, username, email, language, quota } of fallen) {
    const { count } = await db.balanceReminder.createMany({ data: { user_id: id }, skipDuplicates: true });
    if (count === 0) continue;
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
  }
}

/** A balance as the console shows it: dollars with two decimals, or shortened points where the site shows those. */
export function amountText(points: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: Settings): string {
  return formatQuota(points, { inCurrency: DisplayInCurrencyEnabled, pointsPerUsd: QuotaPerUnit });
}
