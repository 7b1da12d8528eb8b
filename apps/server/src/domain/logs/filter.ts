import { type LogQuery, LogType } from "@gateway/shared/usage/log";

/** What narrows the log, as conditions of SQL. Everything from outside is a parameter. */

/** Whose rows, and how much of them may be seen. Owners see neither channels nor attempts. */
export type LogView = { of: "everybody" } | { of: "owner"; userId: number; seesTags?: boolean };

/** Whether billing tags are shown, and may be asked for. */
export function seesTags(view: LogView): boolean {
  return view.of === "everybody" || view.seesTags === true;
}

const MAX_TIME = 253_402_300_799;

export interface Filter {
  values: unknown[];
  /** @param condition takes the number of its first parameter */
  add(condition: (n: number) => string, ...values: unknown[]): void;
  /** A value outside the conditions. */
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

export function filterOf(view: LogView, query: LogQuery): Filter {
  const filter = newFilter();
  const equals = (column: string, value: string | number) => {
    if (value !== "" && value !== 0) filter.add((n) => `l.${column} = $${n}`, value);
  };
  if (view.of === "owner") {
    filter.add((n) => `l.user_id = $${n}`, view.userId);
  } else {
    // By id, which is indexed; the name in the row is only what the user was called then.
    if (query.username !== "") {
      filter.add((n) => `l.user_id = (SELECT id FROM users WHERE username = $${n})`, query.username);
    }
    if (query.channel_id !== 0) filter.add((n) => `l.channel_id = $${n}::bigint`, query.channel_id);
  }
  if (seesTags(view)) equals("billing_tag", query.billing_tag);
  // Whatever failed has this type, which has an index.
  equals("type", query.log_type === 0 && query.outcome === "failed" ? LogType.failed : query.log_type);
  equals("model_name", query.model_name);
  equals("token_name", query.token_name);
  equals("request_id", query.request_id);
  equals("source_ip", query.source_ip);
  if (query.start_timestamp > 0) filter.add((n) => `l.created_at >= $${n}`, instant(query.start_timestamp));
  if (query.end_timestamp > 0) filter.add((n) => `l.created_at < $${n}`, instant(query.end_timestamp + 1));
  return filter;
}

/** Conditions that no index knows, by facet; they are tested on the newest rows that the filter lets through. */
export type Conditions = Partial<Record<Facet, string>>;
export type Facet = "outcome" | "error_code" | "session" | "retried" | "slow" | "expensive";

/** Attempts stand in front of the other notes, so a second one is what a retried call has. */
export const wasRetried = "COALESCE(l.attempts -> 1 ? 'result', FALSE)";

/** Rows that are tested at most by one request. */
export const MOST_SEARCHED = 10_000;

/** As SQL over `l`; their values become parameters of the filter. Empty where nothing but indexed fields narrows. */
export function conditionsOf(view: LogView, query: LogQuery, filter: Filter): Conditions {
  const { outcome, error_code, session, retried, min_time, min_quota } = query;
  return {
    ...(outcome === "" ? {} : { outcome: `l.outcome = ${filter.parameter(outcome)}` }),
    ...(error_code === "" ? {} : { error_code: `l.error_code = ${filter.parameter(error_code)}` }),
    ...(session === "" ? {} : { session: `l.session ->> 'id' = ${filter.parameter(session)}` }),
    ...(retried === 0 || view.of === "owner" ? {} : { retried: wasRetried }),
    ...(min_time === 0 ? {} : { slow: `l.request_time >= ${filter.parameter(min_time)}::bigint` }),
    ...(min_quota === 0
      ? {}
      : { expensive: `(l.quota >= ${filter.parameter(min_quota)}::bigint AND l.type = ${LogType.consume})` }),
  };
}

/** All of them together, or all but one. */
export function together(conditions: Conditions, without?: Facet): string {
  const parts = Object.entries(conditions).flatMap(([facet, sql]) => (facet === without ? [] : [sql]));
  return parts.length === 0 ? "TRUE" : parts.join(" AND ");
}

export function instant(unixTime: number): Date {
  return new Date(Math.min(unixTime, MAX_TIME) * 1000);
}
