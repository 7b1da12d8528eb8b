/** The calls of an agent's session in their order, with what their page shows of each. */
import { LogType } from "@gateway/shared/usage/log-type";
import type { AgentSessionQuery, SessionCall, SessionCalls } from "@gateway/shared/usage/session";
import { billedCalls, movesOf } from "#domain/logs/cache-sql.ts";
import type { LogView } from "#domain/logs/filter.ts";
import { notFound } from "#errors.ts";
import type { Pool } from "#platform/database/db.ts";
import { ownerOf } from "./agent-session.ts";

const MOST_CALLS = 5_000;

interface StoredCall {
  request_id: string;
  created_at: Date;
  type: number;
  request_time: bigint;
  agent: string;
  requested_model: string;
  channel_id: number;
  channel_name: string;
  input: bigint;
  cached: bigint;
  output: bigint;
  quota: bigint;
  error_code: string;
  moved: boolean;
  stored: boolean;
}

/** Throws `not_found`, also when the session belongs to a different owner. */
export async function listSessionCalls(
  pool: Pool,
  view: LogView,
  query: AgentSessionQuery,
): Promise<SessionCalls> {
  const seesAll = view.of === "everybody";
  const { rows } = await pool.query<StoredCall>(callsSql, [
    query.id,
    await ownerOf(pool, view, query),
    seesAll,
  ]);
  if (rows.length === 0) throw notFound({ reason: "agent_session_not_found" });
  const data = rows.slice(-MOST_CALLS).map((row): SessionCall => ({
    request_id: row.request_id,
    ended_at: row.created_at.getTime(),
    duration: Number(row.request_time),
    agent: row.agent,
    model_name: row.requested_model,
    channel_id: seesAll ? row.channel_id : 0,
    channel_name: seesAll ? row.channel_name : "",
    input: Number(row.input),
    cached: Number(row.cached),
    output: Number(row.output),
    quota: Number(row.quota),
    failed: row.type === LogType.failed,
    error_code: row.error_code,
    moved: row.moved,
    stored: row.stored,
  }));
  return { data, complete: rows.length <= MOST_CALLS };
}

/** Parameters: $1 session, $2 user, $3 whether the reader sees the bodies of all calls. */
const callsSql = `
WITH calls AS MATERIALIZED (
  ${billedCalls(`SELECT l.* FROM request_logs l WHERE l.session ->> 'id' = $1 AND l.user_id = $2
    ORDER BY l.created_at DESC, l.id DESC LIMIT ${MOST_CALLS + 1}`)}
), moves AS MATERIALIZED (
  ${movesOf("calls")}
)
SELECT c.request_id, c.created_at, c.type, c.request_time, c.agent, c.requested_model, c.channel_id,
  COALESCE(h.name, '') AS channel_name, c.input, c.cached::bigint, c.output, c.quota, c.error_code,
  EXISTS (SELECT FROM moves m WHERE m.id = c.id) AS moved,
  EXISTS (SELECT FROM request_bodies b WHERE b.created_at = c.created_at AND b.request_id = c.request_id
    AND ($3 OR (b.user_id = $2 AND b.by_token))) AS stored
FROM calls c LEFT JOIN channels h ON h.id = c.channel_id
ORDER BY c.created_at, c.id`;
