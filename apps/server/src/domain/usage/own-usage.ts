import type { UsageDay } from "@gateway/shared/usage/dashboard";
import { currentTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { lastLocalDays } from "./local-days.ts";
import { usageOfUser } from "./usage.ts";

/** Usage of one user by local day and model: today and the days before it. */
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
      quota: row.quota,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      request_time: row.request_time,
    })),
  };
}
