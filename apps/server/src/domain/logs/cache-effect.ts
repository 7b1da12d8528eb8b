/**
 * Computes what prompt caching saved a user or on a channel, from the newest 10,000 charged calls within 30
 * days. Moves are those of the sessions among them.
 */
import { LogType } from "@gateway/shared/usage/log-type";
import type { CacheEffect, CacheSums } from "@gateway/shared/usage/session";
import type { Pool } from "#platform/database/db.ts";
import { billedCalls, cacheSumsOf, callSums, movesOf } from "./cache-sql.ts";

const MOST_CALLS = 10_000;
const DAYS = 30;
const MOST_SESSIONS = 200;
const MOST_SESSION_CALLS = 20_000;

interface EffectRow extends Record<keyof CacheSums, bigint> {
  calls: number;
  since: number;
  moves: number;
  move_cost: bigint;
}

/** @param of the user, or the channel: its moves are those to it */
export async function describeCacheEffect(
  pool: Pool,
  of: { userId: number } | { channelId: number },
): Promise<CacheEffect> {
  const isUser = "userId" in of;
  const { rows } = await pool.query<EffectRow>(isUser ? effectSql.user : effectSql.channel, [
    isUser ? of.userId : of.channelId,
  ]);
  const [row] = rows;
  const calls = row?.calls ?? 0;
  return {
    ...cacheSumsOf(row ?? { input: 0n, cached: 0n, saved: 0n, write_extra: 0n }),
    calls: Math.min(calls, MOST_CALLS),
    complete: calls <= MOST_CALLS,
    since: row?.since ?? 0,
    moves: { count: row?.moves ?? 0, cost: Number(row?.move_cost ?? 0n) },
  };
}

const recent = `l.created_at > now() - interval '${DAYS} days'`;

function statementFor(condition: string, moved: string): string {
  return `
WITH newest AS MATERIALIZED (
  SELECT l.* FROM request_logs l WHERE ${condition} AND l.type = ${LogType.consume} AND ${recent}
  ORDER BY l.created_at DESC, l.id DESC LIMIT ${MOST_CALLS + 1}
), calls AS MATERIALIZED (
  ${billedCalls("SELECT * FROM newest")}
), sessions AS MATERIALIZED (
  SELECT l.session ->> 'id' AS id, l.user_id, min(l.created_at) AS since FROM newest l WHERE l.session IS NOT NULL
  GROUP BY 1, 2 ORDER BY max(l.created_at) DESC LIMIT ${MOST_SESSIONS}
), followed AS MATERIALIZED (
  ${billedCalls(`SELECT l.* FROM sessions s
    JOIN request_logs l ON l.session ->> 'id' = s.id AND l.user_id = s.user_id AND l.created_at >= s.since - interval '1 day'
    WHERE ${recent} LIMIT ${MOST_SESSION_CALLS}`)}
), moves AS MATERIALIZED (
  ${movesOf("followed")}
)
SELECT e.*, m.moves, m.move_cost FROM (
  SELECT ${callSums}, COALESCE(floor(extract(epoch FROM min(c.created_at))), 0)::int AS since FROM calls c
) e CROSS JOIN (
  SELECT count(*)::int AS moves, COALESCE(ceil(sum(m.cost)), 0)::bigint AS move_cost FROM moves m WHERE ${moved}
) m`;
}

/** Parameter: $1 the user or the channel. */
const effectSql = {
  user: statementFor("l.user_id = $1::int", "TRUE"),
  channel: statementFor("l.channel_id = $1::int", "m.channel_id = $1::int"),
};
