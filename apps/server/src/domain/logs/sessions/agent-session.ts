/** Describes a session of an agent from its calls in the log. One statement reads at most 20,000 calls. */
import {
  type AgentSession,
  type AgentSessionQuery,
  ChannelMove,
  type SessionAgent,
} from "@gateway/shared/usage/session";
import { billedCalls, callSums, type CallSumRow, callSumsOf, movesOf } from "#domain/logs/cache-sql.ts";
import type { LogView } from "#domain/logs/filter.ts";
import { notFound } from "#errors.ts";
import type { Pool } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import { findTitles } from "./session-titles.ts";

const MOST_CALLS = 20_000;
const MOST = { agents: 200, models: 50, channels: 50, errors: 20, moves: 20 };

interface Part extends CallSumRow {
  part: "totals" | "agent" | "model" | "channel" | "error" | "moves" | "move";
  name: string;
  parent: string;
  first_at: number;
  last_at: number;
  detail: unknown;
}

/** Throws `not_found`, also when the session belongs to a different owner. */
export async function describeSession(
  pool: Pool,
  secrets: Secrets,
  view: LogView,
  query: AgentSessionQuery,
): Promise<AgentSession> {
  const { id } = query;
  const owner = await ownerOf(pool, view, query);
  const { rows } = await pool.query<Part>(sessionSql, [id, owner]);
  const of = (part: Part["part"]) => rows.filter((row) => row.part === part);
  const [totals] = of("totals");
  if (totals === undefined || totals.calls === 0) throw notFound({ reason: "agent_session_not_found" });
  const [moves] = of("moves");
  const seesChannels = view.of === "everybody";
  const [title = ""] = await findTitles(pool, secrets, [{ id, userId: owner }], view);
  return {
    id,
    user_id: owner,
    username: totals.name,
    title,
    first_at: totals.first_at,
    last_at: totals.last_at,
    totals: { ...callSumsOf(totals), calls: Math.min(totals.calls, MOST_CALLS) },
    complete: totals.calls <= MOST_CALLS,
    agents: of("agent").map((row): SessionAgent => ({
      agent: row.name,
      parent: row.parent,
      first_at: row.first_at,
      last_at: row.last_at,
      ...callSumsOf(row),
    })),
    models: of("model").map((row) => ({ name: row.name, ...callSumsOf(row) })),
    channels: seesChannels
      ? of("channel").map((row) => ({ id: Number(row.name), name: row.parent, ...callSumsOf(row) }))
      : null,
    errors: of("error").map(({ name, calls }) => ({ error_code: name, count: calls })),
    moves: { count: moves?.calls ?? 0, cost: Number(moves?.quota ?? 0n) },
    move_list: seesChannels ? of("move").map(({ detail }) => ChannelMove.parse(detail)) : null,
  };
}

/** Returns whose session the query names; 0 when it is unknown. */
export async function ownerOf(
  pool: Pool,
  view: LogView,
  { id, user_id }: AgentSessionQuery,
): Promise<number> {
  if (view.of === "owner") return view.userId;
  return user_id === 0 ? await lastUserOf(pool, id) : user_id;
}

/** Returns the account that used this session id last; 0 for none. */
async function lastUserOf(pool: Pool, id: string): Promise<number> {
  const { rows } = await pool.query<{ user_id: number }>(
    `SELECT l.user_id FROM request_logs l WHERE l.session ->> 'id' = $1
      ORDER BY l.created_at DESC, l.id DESC LIMIT 1`,
    [id],
  );
  return rows[0]?.user_id ?? 0;
}

const seconds = (time: string) => `floor(extract(epoch FROM ${time}))::int`;
const span = `${seconds("min(c.created_at)")} AS first_at, ${seconds("max(c.created_at)")} AS last_at, NULL::jsonb AS detail`;

function listSql(part: string, name: string, parent: string, rest: string): string {
  return `(SELECT '${part}' AS part, ${name} AS name, ${parent} AS parent, ${callSums}, ${span} FROM calls c ${rest})`;
}

/** Parameters: $1 session, $2 user. One row more than the limit shows that there are older calls. */
const sessionSql = `
WITH calls AS MATERIALIZED (
  ${billedCalls(`SELECT l.* FROM request_logs l WHERE l.session ->> 'id' = $1 AND l.user_id = $2
    ORDER BY l.created_at DESC, l.id DESC LIMIT ${MOST_CALLS + 1}`)}
), moves AS MATERIALIZED (
  ${movesOf("calls")}
)
${listSql("totals", "COALESCE((SELECT username FROM users WHERE id = $2), max(c.username), '')", "''", "")}
UNION ALL
${listSql("agent", "c.agent", "max(c.parent)", `GROUP BY c.agent ORDER BY min(c.created_at) LIMIT ${MOST.agents}`)}
UNION ALL
${listSql("model", "c.requested_model", "''", `GROUP BY c.requested_model ORDER BY sum(c.quota) DESC, count(*) DESC LIMIT ${MOST.models}`)}
UNION ALL
${listSql(
  "channel",
  "c.channel_id::text",
  "COALESCE(max(h.name), '')",
  `LEFT JOIN channels h ON h.id = c.channel_id WHERE c.channel_id > 0
   GROUP BY c.channel_id ORDER BY count(*) DESC LIMIT ${MOST.channels}`,
)}
UNION ALL
${listSql("error", "c.error_code", "''", `WHERE c.error_code <> '' GROUP BY c.error_code ORDER BY count(*) DESC LIMIT ${MOST.errors}`)}
UNION ALL
SELECT 'moves', '', '', count(*)::int, 0, 0, 0, 0, COALESCE(ceil(sum(m.cost)), 0)::bigint, 0, 0, 0, 0, NULL FROM moves m
UNION ALL
(SELECT 'move', '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, jsonb_build_object('request_id', m.request_id,
    'created_at', ${seconds("m.created_at")}, 'model_name', m.model_name,
    'from_channel_id', m.from_channel_id, 'from_channel_name', COALESCE(f.name, ''),
    'to_channel_id', m.channel_id, 'to_channel_name', COALESCE(t.name, ''),
    'lost', m.lost::bigint, 'cost', ceil(m.cost)::bigint)
  FROM moves m LEFT JOIN channels f ON f.id = m.from_channel_id LEFT JOIN channels t ON t.id = m.channel_id
  ORDER BY m.cost DESC, m.created_at DESC LIMIT ${MOST.moves})`;
