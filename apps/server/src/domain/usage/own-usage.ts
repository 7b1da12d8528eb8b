import type { Dashboard, UsageDay } from "@gateway/shared/usage/dashboard";
import { tokensOf } from "@gateway/shared/usage/figures";
import { currentTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { lastLocalDays, localDate, startOfDay } from "#platform/local-days.ts";
import { usageOfUser } from "./usage.ts";

/** Returns a user's usage by local day and model, for today and the preceding days. */
export async function ownUsage(
  pool: Pool,
  input: { userId: number; timeZone: string; days: number; now?: Date },
): Promise<{ dates: string[]; usage: UsageDay[] }> {
  const { userId, timeZone, now = currentTime() } = input;
  const days = lastLocalDays(input.days, now, timeZone);
  const span = { from: days[0]?.start ?? now, to: now };
  const rows = await usageOfUser(pool, { by: "model", span, days, userId });
  return {
    dates: days.map((day) => day.date),
    usage: rows.map((row) => ({
      date: days[row.day]?.date ?? "",
      model: row.key,
      request_count: row.request_count,
      failed_count: row.failed_count,
      quota: row.quota,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      request_time: row.request_time,
    })),
  };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Returns a user's usage of yesterday up to the same time of day. The cut hour counts by its elapsed share.
 */
export async function usedYesterday(
  pool: Pool,
  { userId, timeZone, now = currentTime() }: { userId: number; timeZone: string; now?: Date },
): Promise<Dashboard["yesterday"]> {
  const until = now.getTime() - dayMs;
  const cutHour = new Date(Math.floor(until / hourMs) * hourMs);
  const from = startOfDay(localDate(new Date(until), timeZone), timeZone);
  const to = new Date(cutHour.getTime() + hourMs);
  const days = [from, cutHour].map((start) => ({ date: "", start }));
  const rows = await usageOfUser(pool, { by: "site", span: { from, to }, days, userId });
  const share = (until - cutHour.getTime()) / hourMs;
  const sum = (of: (row: (typeof rows)[number]) => number) =>
    Math.round(rows.reduce((total, row) => total + of(row) * (row.day === 1 ? share : 1), 0));
  return {
    request_count: sum((row) => row.request_count),
    failed_count: sum((row) => row.failed_count),
    quota: sum((row) => row.quota),
    tokens: sum(tokensOf),
  };
}
