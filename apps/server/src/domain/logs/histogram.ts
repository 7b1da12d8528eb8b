/**
 * Calls of a filter over time. Whole hours come from the roll-ups if these support the filter. Other filters,
 * and bars shorter than an hour, count the newest 10,000 rows.
 */
import type { LogFacets, LogFacetsQuery } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { conditionsOf, filterOf, type LogView, MOST_SEARCHED, combineConditions } from "./filter.ts";
import { hoursOf, isInRollUp } from "./totals.ts";

type Histogram = LogFacets["histogram"];

const MOST_BARS = 60;
const hour = 3_600;
/** Possible lengths of a bar, in seconds. */
const spans = [1, 5, 15, 60, 300, 900, hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 168 * hour];
/** Shorter periods are drawn from log rows, because hourly bars would be too few. */
const SHORT = 6 * hour;

interface BarRow {
  starts: bigint;
  count: bigint;
  failed: bigint;
}

export async function histogramOf(pool: Pool, view: LogView, query: LogFacetsQuery): Promise<Histogram> {
  const to = Math.min(query.end_timestamp || Infinity, unixTime(currentTime()));
  const filter = filterOf(view, query);
  const conditions = conditionsOf(view, query, filter);
  const isNarrow = Object.keys(conditions).length > 0 || query.log_type !== LogType.all;
  const since = query.start_timestamp || (await oldest(pool));
  if (!isNarrow && isInRollUp(view, query) && to - since > SHORT)
    return rolledUp(pool, view, query, since, to);

  filter.add(() => `l.type IN (${LogType.consume}, ${LogType.failed})`);
  const sample = `SELECT l.created_at, l.type, l.quota, l.outcome, l.error_code, l.session, l.request_time, l.attempts
                    FROM request_logs l WHERE ${filter.where()}
                   ORDER BY l.created_at DESC, l.id DESC LIMIT ${MOST_SEARCHED + 1}`;
  const { rows } = await pool.query<{ since: bigint | null; rows: bigint }>(
    `WITH sample AS MATERIALIZED (${sample})
     SELECT floor(extract(epoch FROM min(created_at) FILTER (WHERE ${combineConditions(conditions)})))::bigint AS since,
            count(*) AS rows
       FROM sample l`,
    filter.values,
  );
  const requested = to - query.start_timestamp;
  // A long period is drawn from its first row on; otherwise days without rows would use up the bars.
  const seconds =
    requested <= SHORT ? requested : to - Math.max(query.start_timestamp, Number(rows[0]?.since ?? to));
  const span = spanFor(seconds);
  const counted = await pool.query<BarRow>(
    `SELECT ${bar("l.created_at", span, query.offset)} AS starts, count(*) AS count,
            count(*) FILTER (WHERE l.type = ${LogType.failed}) AS failed
       FROM (${sample}) l WHERE ${combineConditions(conditions)} GROUP BY 1 ORDER BY 1`,
    filter.values,
  );
  const complete = Number(rows[0]?.rows ?? 0n) <= MOST_SEARCHED;
  return { span, bars: counted.rows.map(numbers), complete };
}

async function rolledUp(
  pool: Pool,
  view: LogView,
  query: LogFacetsQuery,
  since: number,
  to: number,
): Promise<Histogram> {
  const span = Math.max(hour, spanFor(to - since));
  const hours = await hoursOf(pool, view, query, { from: since, to });
  const { rows } = await pool.query<BarRow>(
    `SELECT ${bar("u.starts", span, query.offset)} AS starts,
            sum(request_count + failed_count)::bigint AS count, sum(failed_count)::bigint AS failed
       FROM (${hours.sql}) u GROUP BY 1 ORDER BY 1`,
    hours.values,
  );
  return { span, bars: rows.map(numbers), complete: true };
}

/** The last hour has bars of a minute even when the request arrives seconds after its start was computed. */
function spanFor(seconds: number): number {
  return spans.find((span) => (seconds - span) / span <= MOST_BARS) ?? Math.ceil(seconds / MOST_BARS);
}

/**
 * Returns SQL for the start of an instant's bar. Both numbers are computed here, so they need no parameters.
 */
function bar(column: string, span: number, offsetMinutes: number): string {
  const offset = offsetMinutes * 60;
  return `((floor((extract(epoch FROM ${column}) + ${offset}) / ${span}) * ${span}) - ${offset})::bigint`;
}

function numbers({ starts, count, failed }: BarRow): Histogram["bars"][number] {
  return { starts: Number(starts), count: Number(count), failed: Number(failed) };
}

async function oldest(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ oldest: Date | null }>(
    "SELECT min(created_at) AS oldest FROM request_logs",
  );
  return unixTime(rows[0]?.oldest ?? currentTime());
}
