/** Sends owners the mail about the notice threshold of a budget, which `budget-notices.ts` recorded. */
import type { BudgetPeriod } from "@gateway/shared/accounts/budget";
import type { Settings } from "@gateway/shared/site/settings";
import { amountText } from "#domain/notices/collect.ts";
import { canMail, senderFor } from "#domain/settings/mail-account.ts";
import { budgetMail } from "#notices/mails.ts";
import { currentTime } from "#platform/clock.ts";
import { type Mailer, sendEach } from "#platform/mail.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { budgetOf, ownBudgetColumn, type SpendingColumns, usesOf } from "./budget-use.ts";

const mostAtOnce = 200;

interface Due extends SpendingColumns {
  target: "user" | "token" | "own";
  target_id: number;
  period: BudgetPeriod;
  since: Date;
  username: string;
  email: string | null;
  language: string;
  /** "" for an account. */
  token: string;
  budget: Prisma.JsonValue;
}

/**
 * Sends each mail once. What a period that is over left behind is not sent.
 * @throws GatewayError `upstream_failed` if the mail server fails or refuses an address; the next run tries again
 */
export async function mailBudgetOwners(db: PrismaClient, settings: Settings, mailer: Mailer): Promise<void> {
  if (!canMail(settings)) return;
  const due = await db.$queryRaw<Due[]>`
    SELECT n.target, n.target_id, n.period, n.since, u.username, u.email, u.language, coalesce(t.name, '') AS token,
      CASE n.target WHEN 'token' THEN t.budget WHEN 'own' THEN ${ownBudgetColumn} ELSE COALESCE(u.budget, g.budget) END AS budget,
      CASE n.target WHEN 'token' THEN t.spent_day ELSE u.spent_day END AS spent_day,
      CASE n.target WHEN 'token' THEN t.day_quota ELSE u.day_quota END AS day_quota,
      CASE n.target WHEN 'token' THEN t.week_quota ELSE u.week_quota END AS week_quota,
      CASE n.target WHEN 'token' THEN t.month_quota ELSE u.month_quota END AS month_quota
    FROM budget_notices n
    LEFT JOIN tokens t ON n.target = 'token' AND t.id = n.target_id
    JOIN users u ON u.id = CASE n.target WHEN 'token' THEN t.user_id ELSE n.target_id END
    LEFT JOIN user_groups g ON g.symbol = u."group"
    WHERE n.mail_due ORDER BY n.since, n.target, n.target_id, n.period LIMIT ${mostAtOnce}`;
  await sendEach(due, async ({ target, target_id, period, since, ...row }) => {
    const mark = { target, target_id, period, since };
    // Before sending, so that two nodes never send the same mail.
    const { count } = await db.budgetNotice.updateMany({
      where: { ...mark, mail_due: true },
      data: { mail_due: false },
    });
    const uses = usesOf(budgetOf(row.budget), row, settings.TimeZone, currentTime());
    const use = uses.find((each) => each.period === period);
    if (count === 0 || row.email === null || !use || use.used < use.notify) return;
    const amount = (points: number) => amountText(points, settings);
    const letter = budgetMail(senderFor(settings, row.language), {
      username: row.username,
      token: target === "token" ? { name: row.token, id: target_id } : undefined,
      period,
      used: amount(use.used),
      notify: amount(use.notify),
      limit: use.limit === 0 ? "" : amount(use.limit),
      resets: `${new Date(use.resets_at * 1_000).toISOString().slice(0, 16).replace("T", " ")} UTC`,
    });
    try {
      await mailer.send({ to: row.email, ...letter });
    } catch (error) {
      await db.budgetNotice.updateMany({ where: mark, data: { mail_due: true } });
      throw error;
    }
  });
}
