/**
 * Sums over all rows that match a filter. Whole hours come from the roll-ups. The log provides the rest:
 * partial hours at both ends, entries that are not calls, and, up to a limit, filters by key, address or
 * request.
 */
import type { LogTotals } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { counters, type CounterRow, type Dimension, sumOf } from "#domain/usage/counters.ts";
import { closedUntil } from "#domain/usage/usage.ts";
import type { Reader } from "#platform/database/db.ts";
import {
  type Conditions,
  conditionsOf,
  type Filter,
  filterOf,
  toDate,
  excludesFailed,
  type LogSearch,
  type LogView,
  MOST_SEARCHED,
  newFilter,
  seesTags,
  combineConditions,
  withNamedUser,
} from "./filter.ts";

const hourMs = 3_600_000;
const endOfTime = new Date(253_402_300_799_000);

/** Returns the sums. Points include consumption only: a top-up in the list is not spending. */
export async function totalLogs(reader: Reader, anyView: LogView, query: LogSearch): Promise<LogTotals> {
  const view = await withNamedUser(reader, anyView, query);
  const { log_type: type } = query;
  const filter = filterOf(view, query);
  const indexed = [...filter.values];
  const conditions = conditionsOf(view, query, filter);
  const calls = type === LogType.all || type === LogType.consume || type === LogType.failed;
  const isSearch = filter.values.length > indexed.length || conditions.retried !== undefined;
  if (!isInRollUp(view, query) || !calls || isSearch)
    return query.whole === true && !isSearch
      ? { ...(await sumRows(reader, filter)), complete: true }
      : sumNewest(reader, filter, indexed, conditions);

  const who = view.userId;
  const from = await later(reader, query.start_timestamp > 0 ? toDate(query.start_timestamp) : new Date(0));
  const to = query.end_timestamp > 0 ? toDate(query.end_timestamp + 1) : endOfTime;
  const firstHour = new Date(Math.ceil(from.getTime() / hourMs) * hourMs);
  const lastHour = new Date(Math.floor(to.getTime() / hourMs) * hourMs);
  const begun: [Date, Date][] =
    firstHour >= lastHour
      ? [[from, to]]
      : [
          [from, firstHour],
          [lastHour, to],
        ];
  const channelId = view.of === "everybody" ? query.channel_id : 0;
  const counted = excludesFailed(query) ? LogType.consume : type;
  const parts = await Promise.all([
    ...(firstHour < lastHour
      ? [
          sumHours(reader, {
            from: firstHour,
            to: lastHour,
            type: counted,
            who,
            channelId,
            model: query.model_name,
          }),
        ]
      : []),
    ...begun
      .filter(([start, end]) => start < end)
      .map(([start, end]) => sumRows(reader, between(filterOf(view, calledOnly(query)), start, end))),
    // Top-ups and similar entries have no model and no channel.
    ...(type === LogType.all && query.model_name === "" && channelId === 0
      ? [countOthers(reader, filterOf(view, query))]
      : []),
  ]);
  return { ...parts.reduce(add, nothing), complete: true };
}

/** Returns whether the roll-ups contain the fields of this filter, apart from conditions. */
export function isInRollUp(view: LogView, query: LogSearch): boolean {
  const tagged = seesTags(view) && query.billing_tag !== "";
  const { request_id, token_name, source_ip, session, derived_key } = query;
  return !tagged && [request_id, token_name, source_ip, session, derived_key].every((value) => value === "");
}

type Sums = Omit<LogTotals, "complete">;
const nothing: Sums = { quota: 0, count: 0, prompt_tokens: 0, completion_tokens: 0 };

function add(a: Sums, b: Sums): Sums {
  return {
    quota: a.quota + b.quota,
    count: a.count + b.count,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
  };
}

/** Returns the query without its time range, because partial hours set their own. */
function calledOnly(query: LogSearch): LogSearch {
  return { ...query, start_timestamp: 0, end_timestamp: 0 };
}

function between(filter: Filter, start: Date, end: Date): Filter {
  filter.add((n) => `l.created_at >= $${n} AND l.created_at < $${n + 1}`, start, end);
  filter.add(() => `l.type IN (${LogType.consume}, ${LogType.failed})`);
  return filter;
}

/**
 * Returns the later of the start and the oldest log row.
 * Roll-ups outlive the log, but sums must match the list.
 */
async function later(reader: Reader, start: Date): Promise<Date> {
  const { rows } = await reader.query<{ oldest: Date | null }>(
    "SELECT min(created_at) AS oldest FROM request_logs",
  );
  const oldest = rows[0]?.oldest ?? endOfTime;
  return start > oldest ? start : oldest;
}

interface HoursInput {
  from: Date;
  to: Date;
  type: number;
  who: number | undefined;
  channelId: number;
  model: string;
}

async function sumHours(reader: Reader, input: HoursInput): Promise<Sums> {
  const sums = counters.map((name) => `sum(${name})::bigint AS ${name}`).join(", ");
  const { sql, values } = await hoursSql(reader, input);
  const { rows } = await reader.query<CounterRow>(`SELECT ${sums} FROM (${sql}) u`, values);
  const sum = sumOf(rows[0]);
  if (input.type === LogType.failed) return { ...nothing, count: sum.failed_count };
  return {
    quota: sum.quota,
    count: sum.request_count + (input.type === LogType.all ? sum.failed_count : 0),
    prompt_tokens: sum.prompt_tokens,
    completion_tokens: sum.completion_tokens,
  };
}

type Hours = { sql: string; values: unknown[] };

/** Returns the counters of every whole hour, as a query with the column `starts`. */
async function hoursSql(reader: Reader, input: Omit<HoursInput, "type">): Promise<Hours> {
  const { from, to, who, channelId, model } = input;
  const fine = newFilter();
  const [since, end] = [fine.parameter(from), fine.parameter(to)];
  if (who !== undefined) fine.add((n) => `user_id = $${n}`, who);
  if (channelId !== 0) fine.add((n) => `channel_id = $${n}::bigint`, channelId);
  if (model !== "") fine.add((n) => `model = $${n}`, model);
  const columns = counters.join(", ");
  if (who !== undefined)
    return {
      sql: `SELECT hour AS starts, ${columns} FROM usage_by_hour(${since}, ${end}) WHERE ${fine.where()}`,
      values: fine.values,
    };
  const [kind, key] = oneDimension(input);
  const until = fine.parameter(await closedUntil(reader));
  const [kindAt, keyAt] = [fine.parameter(kind), fine.parameter(key)];
  const sql = `SELECT starts, ${columns} FROM usage_totals
      WHERE kind = ${kindAt} AND span = 'hour' AND key = ${keyAt}
        AND starts >= ${since} AND starts < LEAST(${end}, ${until}::timestamptz)
     UNION ALL
     SELECT hour, ${columns} FROM usage_by_hour(GREATEST(${since}, ${until}::timestamptz), ${end})
      WHERE ${fine.where()}`;
  return { sql, values: fine.values };
}

/**
 * Returns the whole hours of a period for a filter that the roll-ups support.
 *
 * @param view with the id of a named user
 * @param period seconds since 1970
 */
export async function hoursOf(
  reader: Reader,
  view: LogView,
  query: LogSearch,
  period: { from: number; to: number },
): Promise<Hours> {
  const who = view.userId;
  const from = new Date(Math.floor((period.from * 1000) / hourMs) * hourMs);
  const channelId = view.of === "everybody" ? query.channel_id : 0;
  return hoursSql(reader, { from, to: toDate(period.to + 1), who, channelId, model: query.model_name });
}

function oneDimension({ channelId, model }: Omit<HoursInput, "type">): [Dimension, string] {
  if (channelId !== 0 && model !== "") return ["lane", `${channelId}:${model}`];
  if (channelId !== 0) return ["channel", String(channelId)];
  return model !== "" ? ["model", model] : ["site", ""];
}

type SumRow = Record<keyof Sums, bigint>;

const rowSums = `count(*) AS count,
  COALESCE(sum(l.quota) FILTER (WHERE l.type = ${LogType.consume}), 0)::bigint AS quota,
  COALESCE(sum(l.prompt_tokens), 0)::bigint AS prompt_tokens,
  COALESCE(sum(l.completion_tokens), 0)::bigint AS completion_tokens`;

async function sumRows(reader: Reader, filter: Filter): Promise<Sums> {
  const { rows } = await reader.query<SumRow>(
    `SELECT ${rowSums} FROM request_logs l WHERE ${filter.where()}`,
    filter.values,
  );
  return numbers(rows[0]);
}

/** Counts entries that are not calls. They are rare and have a partial index. */
async function countOthers(reader: Reader, filter: Filter): Promise<Sums> {
  filter.add(() => `l.type <> ${LogType.consume}`);
  filter.add(() => `l.type IN (${LogType.topUp}, ${LogType.manage}, ${LogType.system})`);
  return sumRows(reader, filter);
}

/**
 * Sums up to a limit of rows, for filters that require reading every row. The limit check has no order and no
 * columns. Postgres can thus count within an index, or combine two filters to find few rows.
 */
async function sumNewest(
  reader: Reader,
  filter: Filter,
  indexed: readonly unknown[],
  conditions: Conditions,
): Promise<LogTotals> {
  const from = `FROM request_logs l WHERE ${filter.where()}`;
  const { rows: counted } = await reader.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (SELECT ${from} LIMIT ${MOST_SEARCHED + 1}) l`,
    [...indexed],
  );
  const complete = Number(counted[0]?.count ?? 0n) <= MOST_SEARCHED;
  const read = "l.type, l.quota, l.prompt_tokens, l.completion_tokens";
  const tested = "l.outcome, l.error_code, l.request_time, l.attempts";
  const isTested = Object.keys(conditions).length > 0;
  const { rows } = await reader.query<SumRow>(
    `SELECT ${rowSums} FROM (
       SELECT ${isTested ? `${read}, ${tested}` : read} ${from}
       ${complete ? "" : "ORDER BY l.created_at DESC, l.id DESC"} LIMIT ${MOST_SEARCHED}
     ) l WHERE ${combineConditions(conditions)}`,
    filter.values,
  );
  return { ...numbers(rows[0]), complete };
}

function numbers(row: SumRow | undefined): Sums {
  return {
    quota: Number(row?.quota ?? 0n),
    count: Number(row?.count ?? 0n),
    prompt_tokens: Number(row?.prompt_tokens ?? 0n),
    completion_tokens: Number(row?.completion_tokens ?? 0n),
  };
}
