/**
 * Breaks down the newest calls of a filter by outcome, error, model, channel, user, token and session, and counts
 * retried, slow and expensive calls. One statement reads at most 10,000 rows, however large the log is.
 */
import type { FacetValue, LogFacets, LogFacetsQuery } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import type { Pool } from "#platform/database/db.ts";
import {
  type Conditions,
  conditionsOf,
  type Facet,
  filterOf,
  type LogView,
  MOST_SEARCHED,
  combineConditions,
  wasRetried,
  withNamedUser,
} from "./filter.ts";
import { histogramOf } from "./histogram.ts";

/** Default minimum duration of a slow call, in milliseconds. */
const SLOW_MS = 10_000;
/** Default percentile of expensive calls: the most expensive five percent of charged calls. */
const EXPENSIVE_FROM = 0.95;
const MOST_VALUES = 10;

/**
 * Fields with a list of values. A condition on a field does not narrow its own list, so that another value
 * can be selected.
 */
const listed = [
  { name: "outcome", of: "l.outcome", facet: "outcome" },
  { name: "error_code", of: "l.error_code", facet: "error_code" },
  { name: "model_name", of: "l.model_name" },
  { name: "token_name", of: "l.token_name" },
  { name: "session", of: "l.session ->> 'id'" },
  { name: "username", of: "l.username", forAdmins: true },
  { name: "channel_id", of: "NULLIF(l.channel_id, 0)::text", forAdmins: true },
] as const satisfies { name: string; of: string; facet?: Facet; forAdmins?: boolean }[];

interface FacetRow {
  name: string;
  value: string;
  count: bigint;
}

export async function logFacets(pool: Pool, anyView: LogView, query: LogFacetsQuery): Promise<LogFacets> {
  const view = await withNamedUser(pool, anyView, query);
  const filter = filterOf(view, query);
  filter.add(() => `l.type IN (${LogType.consume}, ${LogType.failed})`);
  const found = filter.where();
  const conditions = conditionsOf(view, query, filter);
  const minTime = query.min_time === 0 ? SLOW_MS : query.min_time;
  const dearest =
    query.min_quota === 0
      ? `(SELECT COALESCE(percentile_disc(${EXPENSIVE_FROM}) WITHIN GROUP (ORDER BY quota), 0) FROM sample WHERE quota > 0)`
      : `${filter.parameter(query.min_quota)}::bigint`;
  const [{ rows }, histogram] = await Promise.all([
    pool.query<FacetRow>(
      `WITH sample AS MATERIALIZED (
         SELECT l.created_at, l.type, l.outcome, l.error_code, l.session, l.model_name, l.token_name, l.username, l.channel_id,
                l.quota, l.request_time, l.attempts
           FROM request_logs l WHERE ${found}
          ORDER BY l.created_at DESC, l.id DESC LIMIT ${MOST_SEARCHED + 1})
       ${listed
         .filter((list) => view.of === "everybody" || !("forAdmins" in list))
         .map((list) => listSql(list, conditions))
         .join(" UNION ALL ")}
       UNION ALL SELECT 'counted', '', count(*) FROM sample
       UNION ALL SELECT 'since', '', COALESCE(floor(extract(epoch FROM min(created_at))), 0)::bigint FROM sample
       UNION ALL SELECT 'retried', '', count(*) FROM sample l
                  WHERE ${wasRetried} AND ${combineConditions(conditions, "retried")}
       UNION ALL SELECT 'slow', '', count(*) FROM sample l
                  WHERE l.request_time >= ${filter.parameter(minTime)}::bigint AND ${combineConditions(conditions, "slow")}
       UNION ALL SELECT 'limit', '', ${dearest}
       UNION ALL SELECT 'expensive', '', count(*) FROM sample l
                  WHERE l.quota > 0 AND l.quota >= ${dearest} AND ${combineConditions(conditions, "expensive")}`,
      filter.values,
    ),
    histogramOf(pool, view, query),
  ]);
  const one = (name: string) => Number(rows.find((row) => row.name === name)?.count ?? 0n);
  const values = (name: string): FacetValue[] =>
    rows
      .filter((row) => row.name === name)
      .map((row) => ({ value: row.value, count: Number(row.count) }))
      .sort((a, b) => b.count - a.count);
  const counted = one("counted");
  const mine = view.of === "owner";
  return {
    counted: Math.min(counted, MOST_SEARCHED),
    complete: counted <= MOST_SEARCHED,
    since: one("since"),
    outcome: values("outcome"),
    error_code: values("error_code"),
    model_name: values("model_name"),
    token_name: values("token_name"),
    session: values("session"),
    username: values("username"),
    channel_id: await namesOf(pool, values("channel_id")),
    retried: mine ? 0 : one("retried"),
    slow: { min_time: minTime, count: one("slow") },
    expensive: { min_quota: one("limit"), count: one("expensive") },
    histogram,
  };
}

function listSql(list: (typeof listed)[number], conditions: Conditions): string {
  const own = "facet" in list ? list.facet : undefined;
  return `(SELECT '${list.name}' AS name, ${list.of} AS value, count(*) AS count FROM sample l
            WHERE ${list.of} <> '' AND ${combineConditions(conditions, own)}
            GROUP BY 2 ORDER BY 3 DESC LIMIT ${MOST_VALUES})`;
}

async function namesOf(pool: Pool, values: FacetValue[]): Promise<LogFacets["channel_id"]> {
  if (values.length === 0) return [];
  const { rows } = await pool.query<{ id: number; name: string }>(
    "SELECT id, name FROM channels WHERE id = ANY($1::int[])",
    [values.map(({ value }) => Number(value))],
  );
  const names = new Map(rows.map(({ id, name }) => [String(id), name]));
  return values.map((each) => ({ ...each, name: names.get(each.value) ?? "" }));
}
