import type { Period } from "@gateway/shared/analytics";
import type { Pool } from "#platform/db.ts";
import { sumOfRows } from "./counters.ts";
import type { LocalDay } from "./local-days.ts";
import { type DayUsage, rankUsers, type Span, usageByDayAndKey } from "./usage.ts";

/** Who used most in a period. */
export interface TopUsers {
  /** How many used anything. */
  active: number;
  top: Period["top_users"];
  /** The days of those at the top. */
  rows: DayUsage[];
}

export async function topUsers(
  pool: Pool,
  asked: { span: Span; closed: Date; days: readonly LocalDay[]; limit: number },
): Promise<TopUsers> {
  const { active, ids } = await rankUsers(pool, asked);
  const [rows, names] = await Promise.all([
    usageByDayAndKey(pool, { ...asked, by: "user", only: ids }),
    pool.query<{ id: number; username: string }>("SELECT id, username FROM users WHERE id = ANY($1)", [ids]),
  ]);
  const nameOf = new Map(names.rows.map((user) => [String(user.id), user.username]));
  const top = ids.map((id) => ({
    user_id: Number(id),
    username: nameOf.get(id) ?? `#${id}`,
    ...sumOfRows(rows.filter((row) => row.key === id)),
  }));
  return { active, top, rows };
}
