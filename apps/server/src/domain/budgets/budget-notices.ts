/**
 * Notifies operators and owners about accounts and API keys that have reached the notice threshold of their
 * budget. `budget-mails.ts` sends the mails.
 */
import { formatQuota } from "@gateway/shared/billing/money";
import type { Settings } from "@gateway/shared/site/settings";
import { addToInbox } from "#domain/inbox/entries.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { canMail } from "#domain/settings/mail-account.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { firstDayOf, localDate } from "#platform/local-days.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { budgetOf, ownBudgetColumn, type SpendingColumns, usesOf } from "./budget-use.ts";

/** `own` is the budget that the owner of an account set. */
type NoticeTarget = "user" | "token" | "own";

const mostAtOnce = 500;
/** Retention of notice records, in days; longer than any period. */
const keptDays = 62;

interface BudgetRow extends SpendingColumns {
  id: number;
  name: string;
  budget: Prisma.JsonValue;
  owner_id: number;
  email: string | null;
}

/** Raises each notice once per period. It checks only accounts and keys with calls in the last hours. */
export async function collectBudgetNotices(db: PrismaClient, settings: Settings): Promise<void> {
  const users = await db.$queryRaw<BudgetRow[]>`
    SELECT u.id, u.username AS name, COALESCE(u.budget, g.budget) AS budget, u.spent_day, u.day_quota, u.week_quota,
      u.month_quota, u.id AS owner_id, u.email
    FROM users u LEFT JOIN user_groups g ON g.symbol = u."group"
    WHERE u.id IN (SELECT user_id FROM usage_hours WHERE hour >= date_trunc('hour', now()) - interval '2 hours')
      AND COALESCE(u.budget, g.budget) IS NOT NULL AND u.deleted_at IS NULL`;
  const tokens = await db.$queryRaw<BudgetRow[]>`
    SELECT t.id, u.username || ' · ' || t.name AS name, t.budget, t.spent_day, t.day_quota, t.week_quota, t.month_quota,
      t.user_id AS owner_id, u.email
    FROM tokens t JOIN users u ON u.id = t.user_id
    WHERE t.id IN (SELECT token_id FROM usage_hours WHERE hour >= date_trunc('hour', now()) - interval '2 hours')
      AND t.budget IS NOT NULL AND t.deleted_at IS NULL`;
  // The budget that owners set has the same form: a notice, and a limit if it stops calls.
  const own = await db.$queryRaw<BudgetRow[]>`
    SELECT id, username AS name, spent_day, day_quota, week_quota, month_quota, id AS owner_id, email,
      ${ownBudgetColumn} AS budget
    FROM users u
    WHERE u.id IN (SELECT user_id FROM usage_hours WHERE hour >= date_trunc('hour', now()) - interval '2 hours')
      AND own_month_limit > 0 AND own_month_warning > 0 AND deleted_at IS NULL`;
  const checked = [
    ...own.map((row) => ["own", row] as const),
    ...users.map((row) => ["user", row] as const),
    ...tokens.map((row) => ["token", row] as const),
  ];
  let left = mostAtOnce;
  for (const [target, row] of checked) {
    if (left <= 0) break;
    left -= await db.$transaction((tx) => notify(tx, target, row, settings));
  }
  await db.$executeRaw`DELETE FROM budget_notices WHERE since < now() - make_interval(days => ${keptDays}::int)`;
}

async function notify(tx: Db, target: NoticeTarget, row: BudgetRow, settings: Settings): Promise<number> {
  const { TimeZone, QuotaPerUnit } = settings;
  const now = currentTime();
  const today = localDate(now, TimeZone);
  const amount = (points: number) => formatQuota(points, { inCurrency: true, pointsPerUsd: QuotaPerUnit });
  let raised = 0;
  for (const use of usesOf(budgetOf(row.budget), row, TimeZone, now)) {
    if (use.notify === 0 || use.used < use.notify) continue;
    const since = new Date(`${firstDayOf(use.period, today)}T00:00:00Z`);
    const mail_due = row.email !== null && canMail(settings);
    const mark = { target, target_id: row.id, period: use.period, since, mail_due };
    const { count } = await tx.budgetNotice.createMany({ data: mark, skipDuplicates: true });
    if (count === 0) continue;
    raised += 1;
    await addToInbox(tx, row.owner_id, {
      event: "budget-notice",
      topic: `budget:${target}:${row.id}:${use.period}`,
      facts: {
        target: target === "token" ? "token" : "user",
        id: String(row.id),
        // An account needs no name in its own inbox.
        name: target === "token" ? row.name.slice(row.name.indexOf(" · ") + 3) : "",
        period: use.period,
        used: String(use.used),
        limit: String(use.limit),
        resets: String(use.resets_at),
      },
    });
    // What owners plan for themselves does not concern operators.
    if (target === "own") continue;
    await raiseNotice(tx, {
      event: "budget-reached",
      topic: `budget:${target}:${row.id}:${use.period}:${today}`,
      facts: {
        target: target === "user" ? "account" : "API key",
        name: row.name,
        id: String(row.id),
        period: use.period,
        used: amount(use.used),
        limit: use.limit === 0 ? "" : amount(use.limit),
        resets: `${new Date(use.resets_at * 1_000).toISOString().slice(0, 16).replace("T", " ")} UTC`,
      },
    });
  }
  return raised;
}
