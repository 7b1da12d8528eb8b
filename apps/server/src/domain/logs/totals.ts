import { type LogQuery, type LogTotals, LogType } from "@gateway/shared/usage/log";
import { counters, type CounterRow, type Dimension, sumOf } from "#domain/usage/counters.ts";
import { closedUntil } from "#domain/usage/usage.ts";
import type { Pool } from "#platform/database/db.ts";
import {
  type Conditions,
  conditionsOf,
  type Filter,
  filterOf,
  instant,
  type LogView,
  MOST_SEARCHED,
  newFilter,
  seesTags,
  together,
} from "./filter.ts";

/**
 * Sums over everything a filter lets through. Whole hours come from the roll-ups; from the log itself only what these
 * do not know: the begun hours at both ends, entries that are no calls, and, up to a limit, filters by key, address or
 * request.
 */

const hourMs = 3_600_000;
const endOfTime = new Date(253_402_300_799_000);

/** Points count for consumption only: a top-up in the list is not money spent. */
export async function totalLogs(pool: Pool, view: LogView, query: LogQuery): Promise<LogTotals> {
  const { log_type: type } = query;
  const filter = filterOf(view, query);
  const indexed = [...filter.values];
  const conditions = conditionsOf(view, query, filter);
  const calls = type === LogType.all || type === LogType.consume || type === LogType.failed;
  if (!knowsRollUp(view, query) || !calls || filter.values.length > indexed.length || conditions.retried)
    return sumNewest(pool, filter, indexed, conditions);

  const who = await userOf(pool, view, query);
  if (who === "nobody") return { ...nothing, complete: true };
  const from = await later(pool, query.start_timestamp > 0 ? instant(query.start_timestamp) : new Date(0));
  const to = query.end_timestamp > 0 ? instant(query.end_timestamp + 1) : endOfTime;
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
  const parts = await Promise.all([
    ...(firstHour < lastHour
      ? [sumHours(pool, { from: firstHour, to: lastHour, type, who, channelId, model: query.model_name })]
      : []),
    ...begun
      .filter(([start, end]) => start < end)
      .map(([start, end]) => sumRows(pool, between(filterOf(view, calledOnly(query)), start, end))),
    // Top-ups and the like name no model and no channel.
    ...(type === LogType.all && query.model_name === "" && channelId === 0
      ? [countOthers(pool, filterOf(view, query))]
      : []),
  ]);
  return { ...parts.reduce(add, nothing), complete: true };
}

/** Whether the roll-ups have what this query narrows by, apart from conditions. */
export function knowsRollUp(view: LogView, query: LogQuery): boolean {
  const tagged = seesTags(view) && query.billing_tag !== "";
  return !tagged && query.request_id === "" && query.token_name === "" && query.source_ip === "";
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

/** The filter without its time, for calls only: the other entries are counted apart. */
function calledOnly(query: LogQuery): LogQuery {
  return { ...query, start_timestamp: 0, end_timestamp: 0 };
}

function between(filter: Filter, start: Date, end: Date): Filter {
  filter.add((n) => `l.created_at >= $${n} AND l.created_at < $${n + 1}`, start, end);
  filter.add(() => `l.type IN (${LogType.consume}, ${LogType.failed})`);
  return filter;
}

/** The older of the two: roll-ups are kept for ever, the log is not, and the sums belong to what the list shows. */
async function later(pool: Pool, start: Date): Promise<Date> {
  const { rows } = await pool.query<{ oldest: Date | null }>(
    "SELECT min(created_at) AS oldest FROM request_logs",
  );
  const oldest = rows[0]?.oldest ?? endOfTime;
  return start > oldest ? start : oldest;
}

/** Undefined: everyone. */
async function userOf(pool: Pool, view: LogView, query: LogQuery): Promise<number | undefined | "nobody"> {
  if (view.of === "owner") return view.userId;
  if (query.username === "") return undefined;
  const { rows } = await pool.query<{ id: number }>("SELECT id FROM users WHERE username = $1", [
    query.username,
  ]);
  return rows[0]?.id ?? "nobody";
}

interface HoursInput {
  from: Date;
  to: Date;
  type: number;
  who: number | undefined;
  channelId: number;
  model: string;
}

async function sumHours(pool: Pool, input: HoursInput): Promise<Sums> {
  const sums = counters.map((name) => `sum(${name})::bigint AS ${name}`).join(", ");
  const { sql, values } = await hoursSql(pool, input);
  const { rows } = await pool.query<CounterRow>(`SELECT ${sums} FROM (${sql}) u`, values);
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

/** The counters of every whole hour, as a query with `starts`. */
async function hoursSql(pool: Pool, input: Omit<HoursInput, "type">): Promise<Hours> {
  const { from, to, who, channelId, model } = input;
  const fine = newFilter();
  fine.add((n) => `hour >= $${n} AND hour < $${n + 1}`, from, to);
  if (who !== undefined) fine.add((n) => `user_id = $${n}`, who);
  if (channelId !== 0) fine.add((n) => `channel_id = $${n}::bigint`, channelId);
  if (model !== "") fine.add((n) => `model = $${n}`, model);
  const columns = counters.join(", ");
  if (who !== undefined && (channelId !== 0 || model !== ""))
    return {
      sql: `SELECT hour AS starts, ${columns} FROM usage_hours WHERE ${fine.where()}`,
      values: fine.values,
    };
  const [kind, key] = oneDimension(input);
  const until = fine.parameter(await closedUntil(pool));
  const [kindAt, keyAt] = [fine.parameter(kind), fine.parameter(key)];
  const sql = `SELECT starts, ${columns} FROM usage_totals
      WHERE kind = ${kindAt} AND span = 'hour' AND key = ${keyAt}
        AND starts >= $1 AND starts < LEAST($2, ${until}::timestamptz)
     UNION ALL
     SELECT hour, ${columns} FROM usage_hours WHERE ${fine.where()} AND hour >= ${until}::timestamptz`;
  return { sql, values: fine.values };
}

/**
 * The whole hours of a period for a filter that the roll-ups know; undefined when its user does not exist.
 *
 * @param period seconds since 1970
 */
export async function hoursOf(
  pool: Pool,
  view: LogView,
  query: LogQuery,
  period: { from: number; to: number },
): Promise<Hours | undefined> {
  const who = await userOf(pool, view, query);
  if (who === "nobody") return undefined;
  const from = new Date(Math.floor((period.from * 1000) / hourMs) * hourMs);
  const channelId = view.of === "everybody" ? query.channel_id : 0;
  return hoursSql(pool, { from, to: instant(period.to + 1), who, channelId, model: query.model_name });
}

function oneDimension({ who, channelId, model }: Omit<HoursInput, "type">): [Dimension, string] {
  if (who !== undefined) return ["user", String(who)];
  if (channelId !== 0 && model !== "") return ["lane", `${channelId}:${model}`];
  if (channelId !== 0) return ["channel", String(channelId)];
  return model !== "" ? ["model", model] : ["site", ""];
}

type SumRow = Record<keyof Sums, bigint>;

const rowSums = `count(*) AS count,
  COALESCE(sum(l.quota) FILTER (WHERE l.type = ${LogType.consume}), 0)::bigint AS quota,
  COALESCE(sum(l.prompt_tokens), 0)::bigint AS prompt_tokens,
  COALESCE(sum(l.completion_tokens), 0)::bigint AS completion_tokens`;

async function sumRows(pool: Pool, filter: Filter): Promise<Sums> {
  const { rows } = await pool.query<SumRow>(
    `SELECT ${rowSums} FROM request_logs l WHERE ${filter.where()}`,
    filter.values,
  );
  return numbers(rows[0]);
}

/** Everything that is no call: rare, and found by an index that holds nothing else. */
async function countOthers(pool: Pool, filter: Filter): Promise<Sums> {
  filter.add(() => `l.type <> ${LogType.consume}`);
  filter.add(() => `l.type IN (${LogType.topUp}, ${LogType.manage}, ${LogType.system})`);
  return sumRows(pool, filter);
}

/**
 * Up to a limit, where every row would have to be read. Whether there are so many is asked without an order and without
 * the rows, which leaves Postgres free to count in an index, or to find a few rows of many by two filters at once.
 */
async function sumNewest(
  pool: Pool,
  filter: Filter,
  indexed: readonly unknown[],
  conditions: Conditions,
): Promise<LogTotals> {
  const from = `FROM request_logs l WHERE ${filter.where()}`;
  const { rows: counted } = await pool.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (SELECT ${from} LIMIT ${MOST_SEARCHED + 1}) l`,
    [...indexed],
  );
  const complete = Number(counted[0]?.count ?? 0n) <= MOST_SEARCHED;
  const read = "l.type, l.quota, l.prompt_tokens, l.completion_tokens";
  const tested = "l.outcome, l.error_code, l.session, l.request_time, l.attempts";
  const isTested = Object.keys(conditions).length > 0;
  const { rows } = await pool.query<SumRow>(
    `SELECT ${rowSums} FROM (
       SELECT ${isTested ? `${read}, ${tested}` : read} ${from}
       ${complete ? "" : "ORDER BY l.created_at DESC, l.id DESC"} LIMIT ${MOST_SEARCHED}
     ) l WHERE ${together(conditions)}`,
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
