/**
 * Lists the sessions of agents, the one with the newest call first. Sessions are found among the newest calls of the
 * reader, a bounded number per page, because no index contains only calls with a session.
 */
import { LogQuery } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import type { SessionPage, SessionQuery, AgentSessionRow } from "@gateway/shared/usage/session";
import { filterOf, type LogView, MOST_SEARCHED, withNamedUser } from "#domain/logs/filter.ts";
import { readCursor, writeCursor } from "#domain/logs/search.ts";
import { unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import { findTitles } from "./session-titles.ts";

/** Calls that are counted per session. */
const MOST_COUNTED = 5_000;

interface FoundSession {
  id: bigint;
  created_at: Date;
  session: string;
  user_id: number;
  username: string;
  token_name: string;
  first_at: Date;
  model_name: string;
  models: number;
  agents: number;
  calls: number;
  failed: number;
  input: bigint;
  output: bigint;
  quota: bigint;
}

export async function listSessions(
  pool: Pool,
  secrets: Secrets,
  anyView: LogView,
  query: SessionQuery,
): Promise<SessionPage> {
  const search = LogQuery.parse({ username: query.username });
  const view = await withNamedUser(pool, anyView, search);
  const filter = filterOf(view, search);
  let newerSql = "FALSE";
  if (query.cursor !== "") {
    const { at, id } = readCursor(query.cursor);
    const place = `($${filter.values.length + 1}::timestamptz, $${filter.values.length + 2}::bigint)`;
    filter.add(() => `(l.created_at, l.id) < ${place}`, new Date(at), id);
    // A session is listed once: on the page of its newest call.
    newerSql = `EXISTS (SELECT FROM request_logs n WHERE n.session ->> 'id' = w.session AND n.user_id = w.user_id
      AND (n.created_at, n.id) >= ${place})`;
  }
  const limit = filter.parameter(query.size + 1);
  const { rows } = await pool.query<FoundSession | EndOfSearch>(
    listSql(filter.where(), newerSql, limit),
    filter.values,
  );
  const end = rows.find((row) => row.session === null);
  const found = rows.filter((row): row is FoundSession => row.session !== null);
  const page = found.slice(0, query.size);
  const titles = await findTitles(
    pool,
    secrets,
    page.map(({ session, user_id }) => ({ id: session, userId: user_id })),
    view,
  );
  const data = page.map((row, place) => describeSessionRow(row, titles[place] ?? ""));
  const last = page.at(-1);
  if (found.length > page.length && last) return { data, next: writeCursor(last) };
  if (end === undefined) return { data, next: null };
  return { data, next: writeCursor(end), searched_until: unixTime(end.created_at) };
}

/** The oldest call that was read, if there are older ones. */
interface EndOfSearch {
  session: null;
  created_at: Date;
  id: bigint;
}

function describeSessionRow(row: FoundSession, title: string): AgentSessionRow {
  const { username, token_name, model_name, models, agents, failed, user_id } = row;
  return {
    id: row.session,
    user_id,
    username,
    title,
    first_at: unixTime(row.first_at),
    last_at: unixTime(row.created_at),
    model_name,
    models,
    token_name,
    agents,
    calls: Math.min(row.calls, MOST_COUNTED),
    failed,
    input: Number(row.input),
    output: Number(row.output),
    quota: Number(row.quota),
    complete: row.calls <= MOST_COUNTED,
  };
}

/**
 * @param where conditions over `l`
 * @param newer whether a row `w` has newer calls of its session, which an earlier page listed
 * @param limit number of sessions
 */
function listSql(where: string, newer: string, limit: string): string {
  return `
WITH newest AS MATERIALIZED (
  SELECT l.created_at, l.id, l.user_id, l.username, l.token_name, l.session ->> 'id' AS session
    FROM request_logs l WHERE ${where} ORDER BY l.created_at DESC, l.id DESC LIMIT ${MOST_SEARCHED}
), last_calls AS (
  SELECT DISTINCT ON (user_id, session) * FROM newest WHERE session IS NOT NULL
   ORDER BY user_id, session, created_at DESC, id DESC
), found AS MATERIALIZED (
  SELECT * FROM last_calls w WHERE NOT ${newer} ORDER BY created_at DESC, id DESC LIMIT ${limit}
)
SELECT f.*, s.* FROM found f CROSS JOIN LATERAL (
  SELECT min(c.created_at) AS first_at, COALESCE(mode() WITHIN GROUP (ORDER BY NULLIF(c.model_name, '')), '') AS model_name,
    count(DISTINCT NULLIF(c.model_name, ''))::int AS models, count(DISTINCT COALESCE(c.session ->> 'agent', ''))::int AS agents,
    count(*)::int AS calls, count(*) FILTER (WHERE c.type = ${LogType.failed})::int AS failed,
    COALESCE(sum(c.prompt_tokens), 0)::bigint AS input, COALESCE(sum(c.completion_tokens), 0)::bigint AS output,
    COALESCE(sum(c.quota) FILTER (WHERE c.type = ${LogType.consume}), 0)::bigint AS quota
  FROM (SELECT n.* FROM request_logs n WHERE n.session ->> 'id' = f.session AND n.user_id = f.user_id
         ORDER BY n.created_at DESC, n.id DESC LIMIT ${MOST_COUNTED + 1}) c
) s
UNION ALL
(SELECT n.created_at, n.id, 0, '', '', NULL, NULL, '', 0, 0, 0, 0, 0, 0, 0 FROM newest n
  WHERE (SELECT count(*) FROM newest) = ${MOST_SEARCHED} ORDER BY n.created_at, n.id LIMIT 1)
ORDER BY 1 DESC, 2 DESC`;
}
