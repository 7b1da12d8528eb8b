/** Filters of the log as SQL conditions. All external values are parameters. */
import type { LogQuery } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import type { Reader } from "#platform/database/db.ts";

/**
 * Whose rows are visible, and in which detail. Owners see no channels, and attempts only of one call (find-call.ts).
 * With the rows of all users, `userId` is the id of the query's username, once `withNamedUser` has found it.
 */
export type LogView =
  | { of: "everybody"; userId?: number }
  | { of: "owner"; userId: number; seesTags?: boolean };

/** No account has this id. */
const UNKNOWN_USER = 0;

/**
 * Finds the id of the query's username. With a subquery in its place, the planner does not know how many rows the user
 * has, and reads the whole log of a month to find 10,000 rows of a busy one: 8 s with ten million calls, instead of 50 ms.
 */
export async function withNamedUser(reader: Reader, view: LogView, query: LogQuery): Promise<LogView> {
  if (view.of === "owner" || query.username === "" || view.userId !== undefined) return view;
  const { rows } = await reader.query<{ id: number }>("SELECT id FROM users WHERE username = $1", [
    query.username,
  ]);
  return { ...view, userId: rows[0]?.id ?? UNKNOWN_USER };
}

/** A search of the log, and how much of it is read. */
export type LogSearch = LogQuery & {
  /**
   * Reads and counts every row of the filter. The console's lists end at a number of rows, so that no request
   * takes longer than a few hundred milliseconds.
   */
  whole?: boolean;
  /** Leaves failed calls out, unless the query names a type or an outcome. */
  withoutFailed?: boolean;
};

/** Returns whether failed calls are left out. */
export function excludesFailed({ withoutFailed = false, log_type, outcome }: LogSearch): boolean {
  return withoutFailed && log_type === LogType.all && outcome === "";
}

/** Returns whether billing tags are visible and may be filtered by. */
export function seesTags(view: LogView): boolean {
  return view.of === "everybody" || view.seesTags === true;
}

const MAX_TIME = 253_402_300_799;

export interface Filter {
  values: unknown[];
  /** @param condition receives the number of its first parameter */
  add(condition: (n: number) => string, ...values: unknown[]): void;
  /** Adds a value outside the conditions and returns its placeholder. */
  parameter(value: unknown): string;
  where(): string;
}

export function newFilter(): Filter {
  const conditions: string[] = [];
  const values: unknown[] = [];
  return {
    values,
    add(condition, ...added) {
      conditions.push(condition(values.length + 1));
      values.push(...added);
    },
    parameter: (value) => `$${values.push(value)}`,
    where: () => (conditions.length === 0 ? "TRUE" : conditions.join(" AND ")),
  };
}

export function filterOf(view: LogView, query: LogSearch): Filter {
  const filter = newFilter();
  const equals = (column: string, value: string | number) => {
    if (value !== "" && value !== 0) filter.add((n) => `l.${column} = $${n}`, value);
  };
  if (view.of === "owner") {
    filter.add((n) => `l.user_id = $${n}`, view.userId);
  } else {
    // By id, which is indexed; the row contains only the username at the time of the call.
    if (view.userId !== undefined) filter.add((n) => `l.user_id = $${n}`, view.userId);
    else if (query.username !== "") {
      filter.add((n) => `l.user_id = (SELECT id FROM users WHERE username = $${n})`, query.username);
    }
    if (query.channel_id !== 0) filter.add((n) => `l.channel_id = $${n}::bigint`, query.channel_id);
  }
  if (seesTags(view)) equals("billing_tag", query.billing_tag);
  // Every failed call has this type, which has an index.
  equals("type", query.log_type === 0 && query.outcome === "failed" ? LogType.failed : query.log_type);
  if (excludesFailed(query)) filter.add(() => `l.type <> ${LogType.failed}`);
  equals("model_name", query.model_name);
  equals("token_name", query.token_name);
  equals("request_id", query.request_id);
  equals("source_ip", query.source_ip);
  if (query.session !== "") filter.add((n) => `l.session ->> 'id' = $${n}`, query.session);
  if (query.derived_key !== "") filter.add((n) => `l.derived_key ->> 'id' = $${n}`, query.derived_key);
  if (query.start_timestamp > 0) filter.add((n) => `l.created_at >= $${n}`, toDate(query.start_timestamp));
  if (query.end_timestamp > 0) filter.add((n) => `l.created_at < $${n}`, toDate(query.end_timestamp + 1));
  return filter;
}

/** Conditions without an index, by facet. They are tested on the newest rows of the filter. */
export type Conditions = Partial<Record<Facet, string>>;
export type Facet = "outcome" | "error_code" | "retried" | "slow" | "expensive";

/** Attempts precede other notes, so a retried call has a result in the second one. */
export const wasRetried = "COALESCE(l.attempts -> 1 ? 'result', FALSE)";

/** Maximum number of rows that one request tests. */
export const MOST_SEARCHED = 10_000;

/**
 * Returns conditions over `l`; their values become parameters of the filter.
 * It is empty when all fields of the query are indexed.
 */
export function conditionsOf(view: LogView, query: LogQuery, filter: Filter): Conditions {
  const { outcome, error_code, retried, min_time, min_quota } = query;
  return {
    ...(outcome === "" ? {} : { outcome: `l.outcome = ${filter.parameter(outcome)}` }),
    ...(error_code === "" ? {} : { error_code: `l.error_code = ${filter.parameter(error_code)}` }),
    ...(retried === 0 || view.of === "owner" ? {} : { retried: wasRetried }),
    ...(min_time === 0 ? {} : { slow: `l.request_time >= ${filter.parameter(min_time)}::bigint` }),
    ...(min_quota === 0
      ? {}
      : { expensive: `(l.quota >= ${filter.parameter(min_quota)}::bigint AND l.type = ${LogType.consume})` }),
  };
}

/** Combines all conditions, optionally without one. */
export function combineConditions(conditions: Conditions, without?: Facet): string {
  const parts = Object.entries(conditions).flatMap(([facet, sql]) => (facet === without ? [] : [sql]));
  return parts.length === 0 ? "TRUE" : parts.join(" AND ");
}

export function toDate(unixTime: number): Date {
  return new Date(Math.min(unixTime, MAX_TIME) * 1000);
}
