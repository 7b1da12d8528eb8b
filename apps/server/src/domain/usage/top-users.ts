import type { Period } from "@gateway/shared/usage/analytics";
import type { Pool } from "#platform/database/db.ts";
import type { LocalDay } from "#platform/local-days.ts";
import { sumOf } from "./counters.ts";
import type { Span } from "./pieces.ts";
import { type DayUsage, rankUsers, usageByDayAndKey } from "./usage.ts";

/** Users with the most usage in a period. */
export interface TopUsers {
  /** Number of users with any usage. */
  active: number;
  top: Period["top_users"];
  /** Usage by day of the users with a series of their own. */
  charted: DayUsage[];
}

/** @param input.charted number of users with a series of their own */
export async function topUsers(
  pool: Pool,
  { days, ...input }: { span: Span; closed: Date; days: readonly LocalDay[]; limit: number; charted: number },
): Promise<TopUsers> {
  const { active, ids } = await rankUsers(pool, input);
  const at = { date: "", start: input.span.from };
  const ask = { ...input, by: "user" } as const;
  const [sums, charted, names] = await Promise.all([
    usageByDayAndKey(pool, { ...ask, only: ids, days: [at] }),
    input.charted === 0 ? [] : usageByDayAndKey(pool, { ...ask, only: ids.slice(0, input.charted), days }),
    pool.query<{ id: number; username: string }>("SELECT id, username FROM users WHERE id = ANY($1)", [ids]),
  ]);
  const sumFor = new Map(sums.map(({ day: _day, key, ...sum }) => [key, sum]));
  const nameOf = new Map(names.rows.map((user) => [String(user.id), user.username]));
  const top = ids.map((id) => ({
    user_id: Number(id),
    username: nameOf.get(id) ?? `#${id}`,
    ...(sumFor.get(id) ?? sumOf(undefined)),
  }));
  return { active, top, charted };
}
