/** Closes months, scheduled or manually, once or again: writes their statements from the roll-ups. */
import type { ClosedMonth } from "@gateway/shared/billing/statement";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { firstOf, presentMonth } from "./statements.ts";

const hourMs = 3_600_000;
/** Time between the end of a month and its scheduled close, so that its last calls are settled. */
const GRACE_HOURS = 24;
/** A month of a large site has millions of roll-up rows. */
const longest = { timeout: 600_000 };

/** Closes every finished month that is still open. Returns the first days of the months closed now. */
export async function closeMonths(db: PrismaClient, now = currentTime()): Promise<string[]> {
  const until = new Date(now.getTime() - GRACE_HOURS * hourMs);
  const rows = await db.$queryRaw<{ month: string }[]>`
    SELECT to_char(month, 'YYYY-MM-DD') AS month FROM (
      SELECT generate_series(date_trunc('month',
          LEAST((SELECT min(hour) FROM usage_hours), (SELECT min(day) FROM usage_days)) AT TIME ZONE 'UTC'),
        date_trunc('month', ${until}::timestamptz AT TIME ZONE 'UTC') - interval '1 month', interval '1 month')::date AS month
    ) m WHERE month NOT IN (SELECT month FROM statement_months) ORDER BY 1`;
  const closed: string[] = [];
  for (const { month } of rows) {
    const mine = await db.$transaction(
      async (tx) => (await claimMonth(tx, month)) && (await writeMonth(tx, month)),
      longest,
    );
    if (mine) closed.push(month);
  }
  return closed;
}

/**
 * Closes one month manually: before the schedule does, or again with later settlements. Of several concurrent
 * first requests, one succeeds.
 * @param month 2026-11 or 2026-11-01
 */
export async function closeMonthByHand(
  db: PrismaClient,
  actor: Actor,
  input: { month: string; again: boolean; now?: Date },
): Promise<ClosedMonth> {
  const { again, now = currentTime() } = input;
  const month = firstOf(input.month);
  if (month >= firstOf(now.toISOString())) {
    throw invalidRequest({ reason: "month_not_over" }, { param: "month" });
  }
  return db.$transaction(async (tx) => {
    // Reads the previous statement after the lock, so that a waiting request sees what the other one wrote.
    const before = again ? await lockMonth(tx, month) : undefined;
    if (again && before === undefined) throw notFound({ reason: "statement_not_found" });
    if (!again && !(await claimMonth(tx, month))) {
      throw conflict({ reason: "statements_made" });
    }
    await writeMonth(tx, month);
    const row = await tx.statementMonth.findUniqueOrThrow({ where: { month: new Date(month) } });
    if (row.users === 0 && !again) throw notFound({ reason: "usage_in_month_not_found" });
    const after = presentMonth(row);
    await writeAudit(tx, {
      actor,
      action: again ? "statement.make_again" : "statement.make",
      targetType: "statement",
      targetId: month.slice(0, 7),
      before,
      after,
    });
    return after;
  }, longest);
}

async function lockMonth(tx: Db, month: string): Promise<ClosedMonth | undefined> {
  await tx.$queryRaw`SELECT 1 FROM statement_months WHERE month = ${month}::date FOR UPDATE`;
  const row = await tx.statementMonth.findUnique({ where: { month: new Date(month) } });
  return row === null ? undefined : presentMonth(row);
}

/**
 * Returns whether this transaction inserted the month's row and may write its lines.
 * Concurrent transactions wait and get false.
 */
async function claimMonth(tx: Db, month: string): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO statement_months (month, users, quota) VALUES (${month}::date, 0, 0) ON CONFLICT (month) DO NOTHING`;
  return count === 1;
}

async function writeMonth(tx: Db, month: string): Promise<true> {
  await tx.$executeRaw`DELETE FROM statements WHERE month = ${month}::date`;
  await tx.$executeRaw`
    INSERT INTO statements (month, user_id, model, request_count, quota, prompt_tokens, completion_tokens, request_time)
    SELECT ${month}::date, user_id, model, sum(request_count), sum(quota), sum(prompt_tokens), sum(completion_tokens),
           sum(request_time)
      FROM usage_sums(${month}::timestamp AT TIME ZONE 'UTC', (${month}::timestamp + interval '1 month') AT TIME ZONE 'UTC')
     GROUP BY user_id, model HAVING sum(request_count) > 0 OR sum(quota) <> 0`;
  await tx.$executeRaw`
    UPDATE statement_months m SET closed_at = now(), users = s.users, quota = s.quota
      FROM (SELECT count(DISTINCT user_id) AS users, COALESCE(sum(quota), 0) AS quota
              FROM statements WHERE month = ${month}::date) s
     WHERE m.month = ${month}::date`;
  return true;
}
